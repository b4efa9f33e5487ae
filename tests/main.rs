//! Integration tests

#[cfg(test)]
mod host;
