import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createProjectGraphAsync, type ProjectGraph } from '@nx/devkit';

const root = join(__dirname, '..', '..');

/** Lints a text as if it stood in the file named, with the workspace's own configuration, and returns what is refused. */
async function refusals(file: string, source: string): Promise<string[]> {
  const eslint = join(root, 'node_modules', 'eslint', 'bin', 'eslint.js');
  const child = spawn(process.execPath, [eslint, '--stdin', '--stdin-filename', file, '--format', 'json'], {
    cwd: root,
  });
  child.stdin.end(source);
  let output = '';
  for await (const chunk of child.stdout) output += String(chunk);
  const [result] = JSON.parse(output) as [{ messages: { ruleId: string | null; message: string }[] }];
  return result.messages.map(({ ruleId, message }) => `${ruleId ?? 'parser'}: ${message}`);
}

describe('module boundaries', () => {
  let graph: ProjectGraph;

  beforeAll(async () => {
    graph = await createProjectGraphAsync();
  }, 120_000);

  it.each([
    {
      what: 'an app that imports an app',
      file: 'apps/ingest/src/main.ts',
      source: "import '@sluice/dispatcher';\n",
      // An app exports nothing, so there is not even something to resolve.
      refused: '@nx/enforce-module-boundaries: Only packages defined in the "package.json" can be imported',
    },
    {
      what: 'an app that reaches into another app by its path',
      file: 'apps/ingest/src/main.ts',
      source: "import '../../dispatcher/src/main.js';\n",
      refused: '@nx/enforce-module-boundaries: Projects cannot be imported by a relative or absolute path',
    },
    {
      what: 'a domain lib that imports a platform lib',
      file: 'libs/queue-core/src/index.ts',
      source: "import '@sluice/service-kit';\n",
      refused: '@nx/enforce-module-boundaries: A project tagged with "layer:domain" can only depend on',
    },
    {
      what: 'a platform lib that imports a domain lib',
      file: 'libs/service-kit/src/index.ts',
      source: "import '@sluice/payments';\n",
      refused: '@nx/enforce-module-boundaries: A project tagged with "layer:platform" can only depend on',
    },
    {
      what: 'a use case that imports a driver',
      file: 'apps/ingest/src/ports.ts',
      source: "import { Pool } from 'pg';\nexport const pool = new Pool();\n",
      refused: 'no-restricted-imports',
    },
    {
      what: 'a read of the environment outside main.ts',
      file: 'apps/ingest/src/ports.ts',
      source: "export const url = process.env['PG_URL'];\n",
      refused: 'no-restricted-syntax',
    },
  ])(
    'refuse $what',
    async ({ file, source, refused }) => {
      expect(await refusals(file, source)).toContainEqual(expect.stringContaining(refused));
    },
    120_000,
  );

  it('let an adapter import its driver', async () => {
    const source = "import { Pool } from 'pg';\nexport const pool = new Pool();\n";
    expect(await refusals('libs/queue-core/src/adapters/pg-queue.ts', source)).toEqual([]);
  }, 120_000);

  it('leave the exec workflow its steps alone: no dispatch, no outbox, not even a type, and no way round the steps', async () => {
    const source = readFileSync(join(root, 'apps', 'exec-worker', 'src', 'workflows.ts'), 'utf8');
    const wrong = ['@sluice/queue-core/workflow', '@sluice/outbox', './execute-payment.js'];
    const imports = wrong.map((name, n) => `export type * as wrong${n} from '${name}';\n`).join('');
    const refused = await refusals('apps/exec-worker/src/workflows.ts', source + imports);
    expect(source).toContain('./exec-steps.js');
    expect(refused.filter((message) => message.startsWith('no-restricted-imports'))).toEqual(
      wrong.map((name) => expect.stringContaining(`'${name}' import is restricted`) as string),
    );
  }, 120_000);

  it('are about real tags: every project has exactly one type, every lib exactly one layer', () => {
    for (const { name, data } of Object.values(graph.nodes)) {
      const tags = data.tags ?? [];
      const types = tags.filter((tag) => tag.startsWith('type:'));
      expect({ name, types }).toEqual({
        name,
        types: [expect.stringMatching(/^type:(app|lib|infra|tools)$/)],
      });
      const layers = tags.filter((tag) => tag.startsWith('layer:'));
      expect({ name, layers: layers.length }).toEqual({ name, layers: types[0] === 'type:lib' ? 1 : 0 });
    }
    expect(readFileSync(join(root, 'eslint.config.mjs'), 'utf8')).not.toMatch(/sourceTag: '\*'/);
  });

  it('show in the project graph: apps depend on libs only, infra on libs and infra, and nothing on an app', () => {
    const typeOf = (name: string) => graph.nodes[name]?.data.tags?.find((tag) => tag.startsWith('type:'));
    const edges = Object.values(graph.dependencies)
      .flat()
      .filter(({ target }) => graph.nodes[target] !== undefined);
    expect(edges.length).toBeGreaterThan(10);
    for (const { source, target } of edges) {
      const allowed = typeOf(source) === 'type:infra' ? /^type:(lib|infra)$/ : /^type:lib$/;
      expect({ source, target, type: typeOf(target) }).toEqual({
        source,
        target,
        type: expect.stringMatching(allowed) as string,
      });
    }
  });
});
