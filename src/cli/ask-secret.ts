import { createInterface } from 'node:readline/promises';
import { Writable } from 'node:stream';
import { CommandFailure } from './exit.ts';

interface Keyboard {
  stdin: NodeJS.ReadableStream;
  stderr: NodeJS.WritableStream;
  /** Aborted by Ctrl-C, which raises no signal while readline reads the keys. */
  interrupt: AbortController;
}

/**
 * Prompts for a line without echoing it.
 * @throws CommandFailure when the input ends first
 */
export async function askSecret(
  question: string,
  { stdin, stderr, interrupt }: Keyboard,
): Promise<string> {
  const nowhere = new Writable({ write: (_chunk, _encoding, done) => done() });
  const lines = createInterface({ input: stdin, output: nowhere, terminal: true });
  const ended = new Promise<never>((_resolve, reject) => {
    lines.once('close', () => reject(new CommandFailure('Nothing was typed.')));
  });
  lines.once('SIGINT', () => interrupt.abort(new DOMException('Ctrl-C', 'AbortError')));
  stderr.write(question);
  try {
    return await Promise.race([lines.question('', { signal: interrupt.signal }), ended]);
  } finally {
    lines.close();
    stderr.write('\n');
  }
}
