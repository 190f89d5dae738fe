import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { createServer as createTlsServer, TLSSocket } from 'node:tls';
import { readPem } from './scripted-smtp.ts';

export interface Pop3Script {
  /** TLS from the start; false for STLS. */
  useTls?: boolean;
  messages?: readonly { id: string; source: string }[];
  password?: string;
  /** Replaces the answer to a command: raw bytes, `hang` or `drop`; null for the usual answer. */
  instead?: (command: string) => string | null;
  greeting?: string;
}

export interface ScriptedPop3 extends AsyncDisposable {
  readonly port: number;
  /** Commands, without the password. */
  readonly log: string[];
}

/**
 * A POP3 server with the commands for reading: STLS, USER, PASS, UIDL, TOP and QUIT.
 * https://www.rfc-editor.org/rfc/rfc1939
 */
export async function startScriptedPop3(script: Pop3Script = {}): Promise<ScriptedPop3> {
  const { useTls = true, greeting = '+OK ready\r\n' } = script;
  const credentials = { key: readPem('smtp-key'), cert: readPem('smtp-cert') };
  const log: string[] = [];
  const sockets = new Set<Socket>();
  const serve = (socket: Socket): void => {
    socket.write(greeting);
    talk(socket);
  };
  const talk = (socket: Socket): void => {
    sockets.add(socket);
    let buffered = '';
    const onData = (bytes: Buffer): void => {
      buffered += bytes.toString('latin1');
      for (let end = buffered.indexOf('\r\n'); end >= 0; end = buffered.indexOf('\r\n')) {
        const command = buffered.slice(0, end);
        buffered = buffered.slice(end + 2);
        log.push(command.replace(/^PASS .*/, 'PASS'));
        const instead = script.instead?.(command) ?? null;
        if (instead === 'drop') socket.destroy();
        else if (instead !== null) {
          if (instead !== 'hang') socket.write(instead);
        } else if (command === 'STLS') {
          socket.off('data', onData);
          socket.write('+OK go on\r\n');
          const secured = new TLSSocket(socket, { isServer: true, ...credentials });
          secured.on('error', () => undefined);
          talk(secured);
          return;
        } else {
          socket.write(answer(command, script));
          if (command === 'QUIT') socket.end();
        }
      }
    };
    socket.on('error', () => undefined).on('data', onData);
  };
  const server = useTls ? createTlsServer(credentials, serve) : createServer(serve);
  server.on('tlsClientError', () => undefined);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  // A server that listens on TCP has an address with a port.
  const { port } = server.address() as AddressInfo;
  return {
    port,
    log,
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, 'close');
    },
  };
}

function answer(command: string, { messages = [], password = 'secret' }: Pop3Script): string {
  const [verb = '', first = '', second = ''] = command.split(' ');
  switch (verb) {
    case 'USER':
    case 'QUIT':
      return '+OK\r\n';
    case 'PASS':
      return command === `PASS ${password}` ? '+OK\r\n' : '-ERR [AUTH] no\r\n';
    case 'UIDL':
      return `+OK\r\n${messages.map(({ id }, at) => `${at + 1} ${id}\r\n`).join('')}.\r\n`;
    case 'TOP': {
      const source = messages[Number(first) - 1]?.source;
      if (source === undefined) return '-ERR no such message\r\n';
      const end = source.indexOf('\r\n\r\n');
      const body = source
        .slice(end + 4)
        .split('\r\n')
        .slice(0, Number(second));
      const lines = [...source.slice(0, end).split('\r\n'), '', ...body];
      return `+OK\r\n${lines.map((line) => (line.startsWith('.') ? `.${line}` : line)).join('\r\n')}\r\n.\r\n`;
    }
    default:
      return '-ERR unknown command\r\n';
  }
}
