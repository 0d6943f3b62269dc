// Where the program of this package is: another package holds it, one for each platform.
const { name } = require("./package.json");

const holder = `@secmon/${name}-${process.platform}-${process.arch}`;
const file = process.platform === "win32" ? `${name}.exe` : name;

function find() {
  try {
    return require.resolve(`${holder}/${file}`);
  } catch {
    throw new Error(`${name}: there is no program for ${process.platform} on ${process.arch} here: npm installs ${holder} ` +
      "unless optional dependencies are left out, and there may be none for this platform");
  }
}

module.exports = { find };
