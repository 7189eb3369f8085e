// The build steps that the TypeScript compiler does not know: SQL files go beside the compiled code, and workflow
// code is bundled once here instead of at every start of a worker.
// Usage: node tools/finish-build.mjs <project folder>
import { cp, access, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';

const project = resolve(process.argv[2] ?? '.');
const source = join(project, 'src');
const output = join(project, 'dist');

await cp(source, output, {
  recursive: true,
  filter: (path) => !/\.[a-z]+$/.test(path) || path.endsWith('.sql'),
});

const workflows = join(output, 'workflows.js');
const hasWorkflows = await access(workflows).then(
  () => true,
  () => false,
);
if (hasWorkflows) {
  const { bundleWorkflowCode, DefaultLogger } = await import('@temporalio/worker');
  const { code } = await bundleWorkflowCode({ workflowsPath: workflows, logger: new DefaultLogger('WARN') });
  await writeFile(join(output, 'workflow-bundle.js'), code);
}
