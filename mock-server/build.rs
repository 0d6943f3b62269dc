//! Turns the API's description into the JSON that is embedded and served.

use std::error::Error;
use std::path::Path;
use std::{env, fs};

const SOURCE: &str = "openapi.yaml";

fn main() -> Result<(), Box<dyn Error>> {
    println!("cargo::rerun-if-changed={SOURCE}");
    // Its own type of value keeps the order of the YAML.
    let document: serde_yaml_ng::Value = serde_yaml_ng::from_str(&fs::read_to_string(SOURCE)?)?;
    let target = Path::new(&env::var("OUT_DIR")?).join("openapi.json");
    fs::write(target, serde_json::to_vec(&document)?)?;
    Ok(())
}
