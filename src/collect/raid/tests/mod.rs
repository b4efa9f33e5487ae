//! The parsers on outputs of the form that the tools print, and whole machines with such a controller.

macro_rules! fixture {
    ($name:literal) => {
        include_str!(concat!("../../../../fixtures/raid/", $name))
    };
}

mod machines;
mod outputs;

use crate::reading::Reading;

const ALL: &str = fixture!("storcli-all.json");
const DRIVES: &str = fixture!("storcli-drives.json");
const VOLUMES: &str = fixture!("storcli-volumes.json");
const SSACLI: &str = fixture!("ssacli.txt");
const LIST: &str = fixture!("sas3ircu-list.txt");
const DISPLAY: &str = fixture!("sas3ircu-display.txt");
const ARCCONF: &str = fixture!("arcconf.txt");

fn known(text: &str) -> Reading<String> {
    Reading::Known(text.to_owned())
}
