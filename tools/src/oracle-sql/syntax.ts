import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const root = join(__dirname, '..', '..', '..');
const parser = join(root, 'tools', 'parse-plsql.mjs');
const grammar = join(root, 'node_modules', '@griffithswaite', 'ts-plsql-parser', 'package.json');

/** Syntax errors of each text. A package takes seconds to parse, so what was parsed once is kept by the hash of its text. */
export async function syntaxErrors(
  texts: readonly string[],
): Promise<ReadonlyMap<string, readonly string[]>> {
  const version = hashOf(readFileSync(parser, 'utf8') + readFileSync(grammar, 'utf8'));
  const cache = join(root, 'tmp', 'plsql', version);
  mkdirSync(cache, { recursive: true });
  const fileOf = (text: string) => join(cache, `${hashOf(text)}.txt`);
  const unknown = texts.filter((text) => !existsSync(fileOf(text)));
  if (unknown.length > 0) {
    const lines = await parseAll(new Map(unknown.map((text) => [hashOf(text), text])));
    for (const text of unknown) {
      const own = lines.filter((line) => line.startsWith(`${hashOf(text)}\t`));
      writeFileSync(fileOf(text), own.map((line) => line.slice(line.indexOf('\t') + 1)).join('\n'));
    }
  }
  const errorsOf = (text: string) => readFileSync(fileOf(text), 'utf8').split('\n').filter(Boolean);
  return new Map(texts.map((text) => [text, errorsOf(text)]));
}

async function parseAll(texts: ReadonlyMap<string, string>): Promise<string[]> {
  const child = spawn(process.execPath, [parser], { cwd: root, stdio: ['pipe', 'pipe', 'inherit'] });
  child.stdin.end(JSON.stringify(Object.fromEntries(texts)));
  let output = '';
  for await (const chunk of child.stdout) output += String(chunk);
  const lines = output.trimEnd().split('\n');
  if (lines.pop() !== `parsed ${texts.size}`)
    throw new Error('the PL/SQL parser did not finish; what it complains of stands above');
  return lines;
}

const hashOf = (text: string): string => createHash('sha256').update(text).digest('hex').slice(0, 32);
