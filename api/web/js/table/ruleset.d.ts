/** What the page of a table uses of a game's `board.js`. */
export type Ruleset = {
  tokens: (action: any) => string[];
  reachable: (action: any, choice: string[]) => boolean;
  settled: (action: any, choice: string[]) => boolean;
  usual?: (action: any) => boolean;
  Board: any;
  prompt?: any;
  signals?: (game: any) => [string, string][];
  victory?: (outcome: any) => string | null;
  loadDeal?: () => Promise<any>;
  /** The module whose `Known` says what the solver of a puzzle knows of hidden cards. */
  loadKnown?: () => Promise<any>;
  ask?: (view: any, choice: string[]) => string;
  warning?: (game: any, action: any, told: any) => string;
  hidden?: (game: any, action: any, told: any) => string;
  loadLegend?: () => Promise<() => [string, string][]>;
  letters?: () => [string, string][];
  interrupt?: () => string;
  marks?: (events: any[]) => string[];
  continues?: (events: any[]) => boolean;
  brief?: (events: any[], place: { names: string[]; last: boolean }) => string | null;
  struck?: (events: any[]) => string[];
  soundOf?: (events: any[]) => string;
  remembers?: string[];
  keyOf?: (action: any) => string | undefined;
  foretold?: (game: any, action: any, told: any, names: string[]) => string | null;
  effect?: (game: any, action: any, told: any) => string;
  loadEnd?: () => Promise<any>;
  decisive?: string[];
  seatNote?: (view: any, seat: number, you: number | null) => any;
};
