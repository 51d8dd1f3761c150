/** An action as an object. */
export type Action = { type: string; [field: string]: any };
/** A legal action: as an object, as text, and as the text of a button. */
export type Legal = { action: Action; text: string; label: string };
/** The data from which a board is drawn. */
export type Props<View> = {
  view: View;
  /** The reader's seat; null for a spectator. */
  you: number | null;
  /** Names of the seats. */
  names: string[];
  legal: Legal[];
  /** The tokens chosen so far. */
  choice: string[];
  /** Toggles a token. */
  choose: (token: string) => void;
  replaying?: boolean;
  /** Tokens that the last moves of other seats changed (returned by `marks`), each with the seat that moved. */
  marks?: Record<string, number>;
  /** The dry run of the chosen action: its events, and whether they are certain. */
  told?: { events: any[]; certain: boolean | null } | null;
  /** The events that the page has, the oldest first. */
  events?: any[];
};
/** A game that has ended, and its events. */
export type Ended = { game: any; events: any[] };
/** The game's parts of the panel at the end; the panel leaves out those that are missing. */
export type End = {
  /** A drawing of who has won or lost. */
  Crest?: (ended: Ended) => any;
  /** A distinction such as a medal, or null. */
  Honour?: (ended: Ended) => any;
  /** How far the game came. */
  Progress?: (ended: Ended) => any;
  /** Numbers, each with what it counts. */
  figures?: (ended: Ended) => [number, string][];
};
/** The exports of a board's module. The page adds defaults for optional exports that are missing. */
export type Ruleset = {
  /** Return the tokens to choose for an action. An action without tokens becomes a button. */
  tokens: (action: any) => string[];
  /** Return whether the choice can still become the action. */
  reachable: (action: any, choice: string[]) => boolean;
  /** Return whether the choice is the action. */
  settled: (action: any, choice: string[]) => boolean;
  /** Return whether the action is chosen without a press. */
  usual?: (action: any) => boolean;
  /** The picture of the game. */
  Board: (props: Props<any>) => any;
  /** Return what to do now, as a sentence. */
  prompt?: any;
  /** A component that draws, over the prompt, how much is chosen of what is asked for. */
  Tally?: any;
  signals?: (game: any) => [string, string][];
  loadDeal?: () => Promise<any>;
  /** Load the module whose `Known` shows the hidden cards that the solver of a puzzle knows. */
  loadKnown?: () => Promise<any>;
  ask?: (view: any, choice: string[]) => string;
  warning?: (game: any, action: any, told: any) => string;
  hidden?: (game: any, action: any, told: any) => string;
  loadLegend?: () => Promise<() => [string, string][]>;
  letters?: () => [string, string][];
  interrupt?: () => string;
  marks?: (events: any[]) => string[];
  continues?: (events: any[]) => boolean;
  /** Return whether a move only begins a turn. Other seats' moves before it are still shown as new. */
  opensTurn?: (events: any[]) => boolean;
  brief?: (events: any[], place: { names: string[]; you: number | null; last: boolean; before?: any[] }) => string | null;
  struck?: (events: any[]) => string[];
  soundOf?: (events: any[]) => string;
  remembers?: string[];
  keyOf?: (action: any) => string | undefined;
  foretold?: (game: any, action: any, told: any, names: string[]) => string | null;
  effect?: (game: any, action: any, told: any) => string;
  loadEnd?: () => Promise<End>;
  decisive?: string[];
  seatNote?: (view: any, seat: number, you: number | null) => any;
};
