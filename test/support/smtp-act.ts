import type { Socket } from 'node:net';

/** What a scripted server does instead of a reply, or with it. */
export type SmtpAct =
  /** Lines to send; CRLF is added. */
  | string
  /** Never replies. */
  | null
  | { kind: 'drop'; say?: string }
  /** Sends one byte at this interval in milliseconds. */
  | { kind: 'drip'; say: string; everyMs: number }
  /** Sends exactly these bytes. */
  | { kind: 'raw'; bytes: string | Buffer }
  /** Repeats until the client disconnects. */
  | { kind: 'flood'; bytes: string | Buffer };

/** Plays the act. Resolves when everything is sent or nothing more can be sent. */
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
