// Unpack the Chromium of @sparticuz/chromium into the folder given: the program, its libraries, a font.
"use strict";

const fs = require("node:fs");
const path = require("node:path");
const { pipeline } = require("node:stream/promises");
const { createBrotliDecompress } = require("node:zlib");
const tar = require("tar-fs");

const folder = path.resolve(process.argv[2]);
const packed = path.join(folder, "node_modules", "@sparticuz", "chromium", "bin");

/** Decompress one file of the package into a writable stream. */
function unpack(name, target) {
  return pipeline(fs.createReadStream(path.join(packed, name)), createBrotliDecompress(), target);
}

async function main() {
  await unpack("chromium.br", fs.createWriteStream(path.join(folder, "chromium"), { mode: 0o755 }));
  await unpack("al2023.tar.br", tar.extract(folder));
  await unpack("swiftshader.tar.br", tar.extract(folder));
  await unpack("fonts.tar.br", tar.extract(folder));
}

main();
