import { FixedQueue, queueOptionsSymbol, type TaskQueue } from 'piscina';

type Task = Parameters<TaskQueue['push']>[0];

/** Marks a task as one of very many: those of others that come after it go before it. */
const PATIENT = { isPatient: true };

/** The task, to be queued behind all that are not patient. */
export function patient<T extends object>(task: T): T {
  return { ...task, [queueOptionsSymbol]: PATIENT };
}

/**
 * First come, first served, but patient tasks wait while there are others. So the threads are never idle, and the text
 * of a small document waits for one piece of a large one, not for all of them.
 */
export class TaskQueueWithPatience implements TaskQueue {
  readonly #ordinary = new FixedQueue();
  readonly #patient = new FixedQueue();

  get size(): number {
    return this.#ordinary.size + this.#patient.size;
  }

  push(task: Task): void {
    this.#queueOf(task).push(task);
  }

  unshift(task: Task): void {
    this.#queueOf(task).unshift(task);
  }

  shift(): Task | null {
    return this.#ordinary.shift() ?? this.#patient.shift();
  }

  remove(task: Task): void {
    this.#queueOf(task).remove(task);
  }

  #queueOf(task: Task): FixedQueue {
    return task[queueOptionsSymbol] === PATIENT ? this.#patient : this.#ordinary;
  }
}
