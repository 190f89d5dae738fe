import { stemDistinct } from './everyday-words.ts';

/** English verbs that mean something else with a particle, and single verbs that manuals have for them. */
const PHRASAL =
  'come out: release publish appear|bring out: release publish|get back: restore recover retrieve reopen return|' +
  'bring back: restore recover|give back: return restore|take back: undo revert withdraw|go back: return undo revert|' +
  'get rid: remove delete discard|throw away: delete discard|take away: remove delete|take out: remove extract|' +
  'take off: remove|leave out: omit exclude skip|cut out: crop extract|cut off: crop truncate|' +
  'turn off: disable deactivate|switch off: disable deactivate|shut off: disable|turn on: enable activate|' +
  'switch on: enable activate|set up: configure install create|put in: insert add|put back: restore|' +
  'put together: combine merge assemble|bring together: combine merge|look up: search find|look for: search find|' +
  'find out: determine detect show|work out: calculate determine|make out: recognize|get to: reach open access|' +
  'get into: enter open access|go through: pass|carry out: perform execute|speed up: accelerate faster|' +
  'slow down: slower delay|blow up: enlarge scale|stand for: mean abbreviate|sign up: register|hand in: submit|' +
  'send in: submit|shut down: stop|start up: start|start over: reset restart|begin again: reset restart|' +
  'break down: fail|fill out: complete|fill in: complete|give up: abandon stop|hold back: delay defer|' +
  'put off: postpone delay defer|keep out: block exclude|let in: allow admit|hold up: delay|run out: exhaust expire|' +
  'split up: divide separate|take over: replace inherit|wake up: resume|point to: refer link|back up: backup save';

/** The particle may follow the object: "get the dock back". */
const MAX_DISTANCE = 4;
/** Prepositions stand right behind the verb: "get it to run" is not "get to". */
const PREPOSITIONS = new Set('to into through for over in'.split(' '));

/** Stem of the verb → particle → stems of what it means. */
const MEANINGS = new Map<string, Map<string, readonly string[]>>();
for (const entry of PHRASAL.split('|')) {
  const [phrase = '', meanings = ''] = entry.split(': ');
  const [verb = '', particle = ''] = phrase.split(' ');
  const stem = stemDistinct(verb);
  const known = MEANINGS.get(stem) ?? new Map<string, readonly string[]>();
  known.set(particle, meanings.split(' ').map(stemDistinct));
  MEANINGS.set(stem, known);
}

/** A verb and its particle in a question. */
export interface PhrasalVerb {
  /** Indexes in the question. */
  verb: number;
  particle: number;
  /** Stems of verbs that mean the same. */
  meanings: readonly string[];
}

export function findPhrasalVerbs(words: readonly string[]): PhrasalVerb[] {
  return words.flatMap((word, verb) => {
    const meanings = MEANINGS.get(stemDistinct(word));
    if (meanings === undefined) return [];
    const near = words.slice(verb + 1, verb + 1 + MAX_DISTANCE);
    const at = near.findIndex(
      (particle, between) =>
        meanings.has(particle) && (between === 0 || !PREPOSITIONS.has(particle)),
    );
    const found = meanings.get(near[at] ?? '');
    return found === undefined ? [] : [{ verb, particle: verb + 1 + at, meanings: found }];
  });
}
