import type { Packet, PacketBody, Placement } from '#src/chat/wire/packets.ts';

/**
 * The position of the next packets. It advances from turn to turn; an agent's position from step to step of its tab.
 */
export class Place {
  #turn = 0;
  #tab = 0;
  #step: number | null = null;

  get turn(): number {
    return this.#turn;
  }

  at(obj: PacketBody, stepsAhead: number = 0): Packet {
    return this.#packet(obj, this.#step === null ? null : this.#step + stepsAhead);
  }

  /** A packet of the agent itself, not of one of its steps. */
  ofAgent(obj: PacketBody): Packet {
    return this.#packet(obj, null);
  }

  advance(by: number = 1): void {
    if (this.#step === null) this.#turn += by;
    else this.#step += by;
  }

  /** The first step of the agent in tab `tab` of this turn. */
  openTab(tab: number): Place {
    const place = new Place();
    place.#turn = this.#turn;
    place.#tab = tab;
    place.#step = 0;
    return place;
  }

  #packet(obj: PacketBody, step: number | null): Packet {
    const placement: Placement = {
      turn_index: this.#turn,
      tab_index: this.#tab,
      sub_turn_index: step,
    };
    return { placement, obj };
  }
}
