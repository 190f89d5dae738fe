import type { Socket } from 'node:net';

/** What a scripted server does instead of, or with, an answer. */
export type SmtpAct =
  /** Lines to say; CRLF is added. */
  | string
  /** Says nothing, ever. */
  | null
  | { kind: 'drop'; say?: string }
  /** A byte every so many milliseconds. */
  | { kind: 'drip'; say: string; everyMs: number }
  /** Exactly these bytes. */
  | { kind: 'raw'; bytes: string | Buffer }
  /** The same again and again, until the client hangs up. */
  | { kind: 'flood'; bytes: string | Buffer };

/** Does what the script says. Resolves when it has been said, or cannot be said any more. */
export async function play(socket: Socket, act: SmtpAct): Promise<void> {
  if (act === null) return;
  if (typeof act === 'string') {
    socket.write(`${act.replaceAll('\n', '\r\n')}\r\n`);
    return;
  }
  switch (act.kind) {
    case 'drop':
      if (act.say !== undefined) socket.write(act.say);
      socket.destroySoon();
      return;
    case 'raw':
      socket.write(act.bytes);
      return;
    case 'drip':
      await drip(socket, Buffer.from(`${act.say.replaceAll('\n', '\r\n')}\r\n`), act.everyMs);
      return;
    case 'flood':
      flood(socket, act.bytes);
      return;
  }
}

async function drip(socket: Socket, bytes: Buffer, everyMs: number): Promise<void> {
  const done = Promise.withResolvers<void>();
  let sent = 0;
  const timer = setInterval(() => {
    socket.write(bytes.subarray(sent, sent + 1));
    sent += 1;
    if (sent >= bytes.length) done.resolve();
  }, everyMs);
  socket.once('close', () => done.resolve());
  await done.promise;
  clearInterval(timer);
}

const GUSH_BYTES = 16 * 1024;

function flood(socket: Socket, bytes: string | Buffer): void {
  const gush = Buffer.alloc(Math.ceil(GUSH_BYTES / bytes.length) * bytes.length, bytes);
  const pour = (): void => {
    while (!socket.destroyed && socket.writable && socket.write(gush));
  };
  socket.on('drain', pour);
  pour();
}
