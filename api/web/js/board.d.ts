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
};
