//! Tests of the whole section on small trees.
