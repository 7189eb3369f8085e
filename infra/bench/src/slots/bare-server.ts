// A program of its own: reads a request, parses its JSON and answers with a constant. What one by one over HTTP costs on
// this machine before anybody has done any work.
import { createServer } from 'node:http';
import { instant } from './contender.js';

const answer = JSON.stringify({ eventId: 'event-1', scheduledTime: instant.toISOString(), delayMs: 0 });

createServer((request, response) => {
  const parts: Buffer[] = [];
  request.on('data', (part: Buffer) => parts.push(part));
  request.on('end', () => {
    if (parts.length > 0) JSON.parse(Buffer.concat(parts).toString());
    response.setHeader('content-type', 'application/json');
    response.end(answer);
  });
}).listen(Number(process.argv[2]), '127.0.0.1');
