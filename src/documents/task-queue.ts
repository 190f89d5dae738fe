import { FixedQueue, queueOptionsSymbol, type TaskQueue } from 'piscina';

type Task = Parameters<TaskQueue['push']>[0];

/** Marks a task as one of many of a large document: later tasks of others overtake it. */
const PATIENT = { isPatient: true };

/** Returns the task marked as patient, so that it waits behind all ordinary tasks. */
export function patient<T extends object>(task: T): T {
  return { ...task, [queueOptionsSymbol]: PATIENT };
}

/**
 * First in, first out, but patient tasks wait while there are ordinary ones. So threads are not idle while any task
 * waits, and a small document waits for one piece of a large document, not for all of them.
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
