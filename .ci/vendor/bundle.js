// Bundles the libraries of the table in the browser into two files, and writes down what is in them.
// Run by `make vendor`: node bundle.js FOLDER, in a folder that has the packages.
import { createHash } from "node:crypto";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { build } from "esbuild";

const folder = process.argv[2];
const BUNDLES = {
  "vendor.js": { entry: "vendor.entry.js", packages: ["preact", "@preact/signals", "@preact/signals-core", "htm"] },
  "vendor-qr.js": { entry: "qr.entry.js", packages: ["qrcode-generator"] },
};

const written = {};
for (const [name, { entry, packages }] of Object.entries(BUNDLES)) {
  const about = packages.map((one) => JSON.parse(readFileSync(join("node_modules", one, "package.json"), "utf8")));
  const banner = about.map((one) => `${one.name} ${one.version} (${one.license})`).join(", ");
  const outfile = join(folder, name);
  await build({
    entryPoints: [entry],
    bundle: true,
    format: "esm",
    minify: true,
    target: "es2022",
    legalComments: "inline",
    banner: { js: `/* ${banner}: bundled by \`make vendor\` */` },
    outfile,
  });
  written[name] = {
    packages: Object.fromEntries(about.map((one) => [one.name, { version: one.version, license: one.license }])),
    sha256: createHash("sha256").update(readFileSync(outfile)).digest("hex"),
  };
}
writeFileSync(join(folder, "vendor.json"), `${JSON.stringify(written, null, 2)}\n`);
