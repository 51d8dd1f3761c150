// The reader's rating on the scale of a game's levels, from the results of this browser, and the level to offer.
// @ts-check
import { results } from "./results.js";

/** @typedef {import("./results.js").Result} Result */
/** @typedef {{level: string, rating: number, low: number | null, high: number | null}} Offer */
/** @typedef {{unit: string, target: number, offers: Offer[]}} Scale as `GET /v1/rulesets` describes it */
/**
 * @typedef {object} Standing
 * @property {string} level the level to offer
 * @property {number} games number of results on which the rating is based
 * @property {number} rating
 * @property {number} low end of the 95 % interval
 * @property {number} high
 */

/** Elo points for one unit of log-odds. */
const POINTS = 400 / Math.LN10;
/** Ratings in per cent are kept this far from 0 and 100, whose log-odds are infinite. */
const NEARLY = 0.1;
/** Standard deviation of the prior of a reader's strength, in log-odds: about 350 Elo points. */
const SPREAD = 2;
/** Maximum of the prior's mean, in log-odds: a team of two players this strong wins 88 % of games. */
const MOST_GUESSED = 2;
const STEP = 0.05;
/** For which strengths the posterior is computed, in log-odds. */
const MAX_DISTANCE_FROM_PRIOR = 8;

/** @param {number} rating @param {string} unit */
function strengthOf(rating, unit) {
  if (unit !== "percent") return rating / POINTS;
  const share = Math.min(Math.max(rating, NEARLY), 100 - NEARLY) / 100;
  return Math.log(share / (1 - share));
}

/** @param {number} strength @param {string} unit */
const ratingOf = (strength, unit) => (unit === "percent" ? 100 / (1 + Math.exp(-strength)) : strength * POINTS);

/**
 * Return the chance to win against an AI of a level, or together with the AI if the game is cooperative.
 * @param {number} own @param {number} level @param {string} unit
 */
const chance = (own, level, unit) => 1 / (1 + Math.exp(unit === "percent" ? -(own + level) / 2 : level - own));

/** Return the probability of a result. @param {number} won the chance to win @param {string} result */
const likelihood = (won, result) => (result === "won" ? won : result === "lost" ? 1 - won : Math.sqrt(won * (1 - won)));

/**
 * Return the prior's mean: the strength at which a reader reaches the target with the lowest level.
 * @param {Scale} scale
 */
function firstGuess({ unit, target, offers }) {
  const lowest = strengthOf(offers[0].rating, unit);
  const aim = Math.log(target / (1 - target));
  return unit === "percent" ? Math.min(2 * aim - lowest, MOST_GUESSED) : aim + lowest;
}

/**
 * Return a grid of strengths, each with its weight: the prior times the likelihood of the results.
 * @param {Scale} scale @param {Result[]} played
 */
function weighed(scale, played) {
  const { unit, offers } = scale;
  const strengths = new Map(offers.map(({ level, rating }) => [level, strengthOf(rating, unit)]));
  const middle = firstGuess(scale);
  return Array.from({ length: (2 * MAX_DISTANCE_FROM_PRIOR) / STEP + 1 }, (_, place) => {
    const own = middle - MAX_DISTANCE_FROM_PRIOR + place * STEP;
    const logs = played.map(({ level, result }) =>
      Math.log(likelihood(chance(own, strengths.get(level) ?? middle, unit), result)),
    );
    return { own, weight: Math.exp(logs.reduce((sum, one) => sum + one, -((own - middle) ** 2) / (2 * SPREAD ** 2))) };
  });
}

/**
 * Return the strength below which a share of the weight lies.
 * @param {{own: number, weight: number}[]} all @param {number} share
 */
function quantile(all, share) {
  let left = share * all.reduce((sum, { weight }) => sum + weight, 0);
  for (const { own, weight } of all) {
    left -= weight;
    if (left <= 0) return own;
  }
  return all[all.length - 1].own;
}

/**
 * Return the rating of a reader with these results and the level to offer; null if the levels have no ratings.
 * Without results the lowest level is offered.
 * @param {Scale | null | undefined} scale @param {Result[]} played games of two seats
 * @returns {Standing | null}
 */
export function standingOf(scale, played) {
  if (!scale?.offers.length) return null;
  const known = played.filter(({ level }) => scale.offers.some((offer) => offer.level === level));
  const all = weighed(scale, known);
  const [low, middle, high] = [0.025, 0.5, 0.975].map((share) => ratingOf(quantile(all, share), scale.unit));
  const suits = scale.offers.find((one) => middle >= (one.low ?? -Infinity) && middle < (one.high ?? Infinity));
  const level = known.length ? (suits ?? scale.offers[0]).level : scale.offers[0].level;
  return { level, games: known.length, rating: middle, low, high };
}

/** Return the results that count for a rating: those of games with two seats. @param {string} ruleset */
export const ratedResults = (ruleset) => results().filter((one) => one.ruleset === ruleset && one.players === 2);
