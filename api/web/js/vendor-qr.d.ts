// What the bundle exports, as far as our modules use it.
export default function qrcode(version: number, level: "L" | "M" | "Q" | "H"): {
  addData(text: string): void;
  make(): void;
  getModuleCount(): number;
  isDark(row: number, column: number): boolean;
};
