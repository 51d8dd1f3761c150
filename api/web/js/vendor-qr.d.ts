// The exports of the bundle that our modules use.
export default function qrcode(version: number, level: "L" | "M" | "Q" | "H"): {
  addData(text: string): void;
  make(): void;
  getModuleCount(): number;
  isDark(row: number, column: number): boolean;
};
