import { connect } from 'node:net';
import type { Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';

const answersWithinMs = 2_000;

/** PING in the server's own protocol: no driver is needed to see that it answers. */
export function pingRedis(url: string): Promise<void> {
  const { hostname, port, username, password, protocol } = new URL(url);
  const secrets = [username, password].filter((part) => part !== '').map(decodeURIComponent);
  const commands = [...(password === '' ? [] : [['AUTH', ...secrets]]), ['PING']];
  const place = { host: hostname, port: Number(port || 6379), timeout: answersWithinMs };
  const socket = protocol === 'rediss:' ? connectTls({ ...place, servername: hostname }) : connect(place);
  return untilPong(socket, commands.map(encode).join(''));
}

function untilPong(socket: Socket, request: string): Promise<void> {
  return new Promise((resolve, reject) => {
    let answer = '';
    const fail = (error: Error): void => {
      socket.destroy();
      reject(error);
    };
    socket.write(request);
    socket.once('timeout', () => {
      fail(new Error(`no answer within ${answersWithinMs / 1000} s`));
    });
    socket.once('error', fail);
    socket.once('close', () => {
      fail(new Error('the connection was closed'));
    });
    socket.on('data', (bytes: Buffer) => {
      answer += bytes.toString('utf8');
      if (answer.startsWith('-')) fail(new Error(answer.slice(1).trim()));
      if (!answer.endsWith('+PONG\r\n')) return;
      socket.destroy();
      resolve();
    });
  });
}

function encode(words: readonly string[]): string {
  const parts = words.map((word) => `$${Buffer.byteLength(word)}\r\n${word}\r\n`);
  return `*${words.length}\r\n${parts.join('')}`;
}
