// Synthesised sounds: a card, a hit, a fall, the reader's turn, the end. Loaded when sound is switched on.
// @ts-check

/**
 * For each kind of sound: frequencies played one after the other, seconds for each, and the shape of the wave.
 * @type {Record<string, [number[], number, OscillatorType]>}
 */
const SOUNDS = {
  draw: [[520], 0.06, "triangle"],
  play: [[330], 0.08, "triangle"],
  hit: [[150, 90], 0.09, "square"],
  fall: [[392, 294, 196], 0.13, "sawtooth"],
  turn: [[660], 0.4, "sine"],
  end: [[392, 523, 659, 784], 0.16, "sine"],
};
const VOLUME = 0.08;
const SILENT = 0.0001;

/** @type {AudioContext | undefined} */
let audio;

/** Play a sound. @param {string} kind */
export function play(kind) {
  const [tones, seconds, type] = SOUNDS[kind] ?? SOUNDS.play;
  audio ??= new AudioContext();
  const output = audio;
  tones.forEach((frequency, place) => {
    const start = output.currentTime + place * seconds;
    const tone = output.createOscillator();
    const volume = output.createGain();
    tone.type = type;
    tone.frequency.value = frequency;
    volume.gain.setValueAtTime(VOLUME, start);
    volume.gain.exponentialRampToValueAtTime(SILENT, start + seconds);
    tone.connect(volume).connect(output.destination);
    tone.start(start);
    tone.stop(start + seconds);
  });
}
