/** An action as an object. */
export type Action = { type: string; [field: string]: any };
/** A legal action: as an object, as text, and as the text of a button. */
export type Legal = { action: Action; text: string; label: string };
/** What a board is drawn from. */
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
  /** What the others' last moves changed: the tokens that `marks` returned, with the seat that did. */
  marks?: Record<string, number>;
  /** The dry run of the chosen action: its events, and whether they are certain. */
  told?: { events: any[]; certain: boolean | null } | null;
  /** The events that the page has, the oldest first. */
  events?: any[];
};
