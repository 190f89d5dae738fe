import { describe, expect, it } from 'vitest';
import {
  type FairGate,
  type FairGateLimits,
  type Leave,
  openFairGate,
} from '#src/platform/fair-gate.ts';

/** A gate that records admissions, and releases places by name. */
function watched(limits: FairGateLimits) {
  const gate: FairGate<string> = openFairGate(limits);
  const admitted: string[] = [];
  const leaves = new Map<string, () => void>();
  return {
    gate,
    admitted,
    enter: (name: string, cost = 1, signal?: AbortSignal): Promise<void> => {
      const [key = ''] = name;
      const options = { cost, ...(signal && { signal }) };
      const entered = gate.enter(key, options).then((leave) => {
        admitted.push(name);
        leaves.set(name, leave);
      });
      entered.catch(() => undefined);
      return entered;
    },
    leave: (name: string) => leaves.get(name)?.(),
  };
}

/** Admission takes a few microtasks. */
const settle = () => new Promise((resolve) => setImmediate(resolve));

describe('a gate shared by keys', () => {
  it('reserves a place that one key cannot take, for the next caller', async () => {
    const { enter, admitted } = watched({ places: 3 });
    for (const name of ['a1', 'a2', 'a3', 'a4']) void enter(name);
    await settle();
    expect(admitted).toEqual(['a1', 'a2']);
    void enter('b1');
    await settle();
    expect(admitted).toEqual(['a1', 'a2', 'b1']);
  });

  it('reserves none when it has only one place', async () => {
    const { enter, admitted, leave } = watched({ places: 1 });
    for (const name of ['a1', 'a2', 'a3', 'b1']) void enter(name);
    await settle();
    leave('a1');
    await settle();
    expect(admitted).toEqual(['a1', 'b1']);
  });

  it('admits the key that has received least, by cost', async () => {
    const { enter, admitted, leave } = watched({ places: 1 });
    void enter('a1', 100);
    for (const name of ['a2', 'a3']) void enter(name, 100);
    for (const name of ['b1', 'b2', 'b3']) void enter(name, 1);
    for (const name of ['a1', 'b1', 'b2', 'b3', 'a2', 'a3']) {
      await settle();
      leave(name);
    }
    expect(admitted).toEqual(['a1', 'b1', 'b2', 'b3', 'a2', 'a3']);
  });

  it('admits the callers of one key in order of arrival', async () => {
    const { enter, admitted, leave } = watched({ places: 2, placesOfKey: 1 });
    for (const name of ['a1', 'a2', 'a3']) void enter(name);
    for (const name of ['a1', 'a2']) {
      await settle();
      leave(name);
    }
    await settle();
    expect(admitted).toEqual(['a1', 'a2', 'a3']);
  });

  it('forgets an aborted caller, and gives its place to the next', async () => {
    const { enter, admitted, leave } = watched({ places: 1 });
    const patience = new AbortController();
    void enter('a1');
    const impatient = enter('b1', 1, patience.signal);
    void enter('c1');
    patience.abort(new Error('I had waited long enough.'));
    await expect(impatient).rejects.toThrow('long enough');
    leave('a1');
    await settle();
    expect(admitted).toEqual(['a1', 'c1']);
    await expect(enter('d1', 1, patience.signal)).rejects.toThrow('long enough');
  });

  it('releases the place of a caller aborted at the moment of its admission', async () => {
    const { gate, enter, admitted } = watched({ places: 1 });
    const stop = new AbortController();
    const entering = gate.enter('a', { signal: stop.signal });
    stop.abort(new Error('called off'));
    await expect(entering).rejects.toThrow('called off');
    void enter('b1');
    await settle();
    expect(admitted).toEqual(['b1']);
  });

  it('counts a place once, however often it is released', async () => {
    const { enter, admitted, leave } = watched({ places: 1 });
    for (const name of ['a1', 'b1', 'c1']) void enter(name);
    await settle();
    leave('a1');
    leave('a1');
    await settle();
    expect(admitted).toEqual(['a1', 'b1']);
  });
});

describe('a gate whose callers take several places', () => {
  /** A gate of ten places, seven of them for one key at most. */
  function wide() {
    const gate: FairGate<string> = openFairGate({ places: 10, placesOfKey: 7 });
    const admitted: string[] = [];
    const leaves = new Map<string, Leave>();
    return {
      gate,
      admitted,
      enter: (name: string, places: number, signal?: AbortSignal): Promise<void> => {
        const options = { places, cost: places, ...(signal && { signal }) };
        const entered = gate.enter(name.charAt(0), options).then((leave) => {
          admitted.push(name);
          leaves.set(name, leave);
        });
        entered.catch(() => undefined);
        return entered;
      },
      leave: (name: string, places?: number) => leaves.get(name)?.(places),
    };
  }

  it('admits as many as fit, of one key no more than its share', async () => {
    const { enter, admitted } = wide();
    for (const name of ['a1', 'a2', 'a3', 'b1']) void enter(name, 3);
    await settle();
    expect(admitted).toEqual(['a1', 'a2', 'b1']);
  });

  it('gives some back early, and never more than were taken', async () => {
    const { enter, admitted, leave } = wide();
    void enter('a1', 7);
    void enter('a2', 4);
    await settle();
    leave('a1', 3);
    await settle();
    expect(admitted).toEqual(['a1']);
    leave('a1', 1);
    await settle();
    expect(admitted).toEqual(['a1', 'a2']);
    leave('a1', 100);
    leave('a1');
    void enter('b1', 7);
    await settle();
    expect(admitted).toEqual(['a1', 'a2']);
    leave('a2');
    await settle();
    expect(admitted).toEqual(['a1', 'a2', 'b1']);
  });

  it('lets no caller overtake the next one, and admits those behind it when it gives up', async () => {
    const { enter, admitted, leave } = wide();
    const patience = new AbortController();
    void enter('a1', 6);
    void enter('b1', 2);
    void enter('c1', 7, patience.signal);
    await settle();
    for (const name of ['b2', 'b3']) void enter(name, 1);
    await settle();
    leave('b1');
    await settle();
    expect(admitted).toEqual(['a1', 'b1']);
    patience.abort(new Error('called off'));
    await settle();
    expect(admitted).toEqual(['a1', 'b1', 'b2', 'b3']);
  });

  it('refuses a caller for whom there will never be room', async () => {
    await expect(wide().enter('a1', 8)).rejects.toThrow(RangeError);
  });
});
