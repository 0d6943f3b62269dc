//! Turns the descriptions into the JSON that is embedded and served.

use std::error::Error;
use std::path::Path;
use std::{env, fs};

const SOURCES: [&str; 2] = ["openapi", "openapi-mock"];

fn main() -> Result<(), Box<dyn Error>> {
    let target = env::var("OUT_DIR")?;
    for name in SOURCES {
        let source = format!("{name}.yaml");
        println!("cargo::rerun-if-changed={source}");
        // YAML's own type of value keeps the order of the file.
        let document: serde_yaml_ng::Value = serde_yaml_ng::from_str(&fs::read_to_string(source)?)?;
        let target = Path::new(&target).join(format!("{name}.json"));
        fs::write(target, serde_json::to_vec(&document)?)?;
    }
    Ok(())
}
