import js from '@eslint/js';
import nx from '@nx/eslint-plugin';
import prettier from 'eslint-config-prettier';
import tseslint from 'typescript-eslint';

/** Client libraries of the outside world. They stay in adapters; use cases see ports. */
const drivers = [
  'pg',
  'oracledb',
  'kafkajs',
  'ioredis',
  'express',
  'undici',
  '@temporalio/client',
  '@temporalio/worker',
];

/** Who may depend on whom. Apps meet through HTTP, topics, tables and task queues, never through imports. */
export const boundaries = {
  allow: [],
  enforceBuildableLibDependency: true,
  banTransitiveDependencies: true,
  depConstraints: [
    { sourceTag: 'type:app', onlyDependOnLibsWithTags: ['type:lib'] },
    { sourceTag: 'layer:domain', onlyDependOnLibsWithTags: ['layer:domain'] },
    { sourceTag: 'layer:platform', onlyDependOnLibsWithTags: ['layer:platform'] },
    { sourceTag: 'type:infra', onlyDependOnLibsWithTags: ['type:lib', 'type:infra'] },
  ],
};

export default tseslint.config(
  { ignores: ['**/dist/**', '**/tmp/**', '**/coverage/**', '.nx/**'] },
  js.configs.recommended,
  {
    files: ['**/*.mjs', '**/*.cjs'],
    languageOptions: {
      globals: Object.fromEntries(
        ['process', 'console', 'module', 'require', 'URL', 'setInterval', 'clearInterval'].map((name) => [
          name,
          'readonly',
        ]),
      ),
    },
  },
  {
    files: ['**/*.ts'],
    extends: [...tseslint.configs.recommendedTypeChecked],
    languageOptions: { parserOptions: { projectService: true, tsconfigRootDir: import.meta.dirname } },
    plugins: { '@nx': nx },
    rules: {
      '@nx/enforce-module-boundaries': ['error', boundaries],
      '@typescript-eslint/consistent-type-imports': 'error',
      '@typescript-eslint/consistent-type-assertions': ['error', { assertionStyle: 'never' }],
      '@typescript-eslint/switch-exhaustiveness-check': 'error',
      '@typescript-eslint/require-await': 'off',
      '@typescript-eslint/no-unused-vars': ['error', { argsIgnorePattern: '^_', varsIgnorePattern: '^_' }],
      '@typescript-eslint/restrict-template-expressions': [
        'error',
        { allowNumber: true, allowBoolean: true },
      ],
      'no-restricted-imports': [
        'error',
        {
          paths: drivers.map((name) => ({ name, message: 'Drivers stay in src/adapters; use a port here.' })),
        },
      ],
      'no-restricted-syntax': [
        'error',
        {
          selector: "MemberExpression[object.name='process'][property.name='env']",
          message: 'The environment is read once, in main.ts; pass what is needed.',
        },
      ],
      'no-console': 'error',
      eqeqeq: 'error',
      'max-lines': ['error', { max: 400, skipBlankLines: true, skipComments: true }],
      'max-lines-per-function': ['error', { max: 60, skipBlankLines: true, skipComments: true }],
      'max-params': ['error', 3],
    },
  },
  {
    // The edges: here drivers are spoken to, and what comes from outside is given its type after it was parsed.
    files: ['**/adapters/**/*.ts'],
    rules: { 'no-restricted-imports': 'off', '@typescript-eslint/consistent-type-assertions': 'off' },
  },
  {
    // PaymentExecWorkflow is business logic alone: it knows nothing of queues, dispatch, outbox or tables. What it and its
    // activities agree on imports nothing at all.
    files: ['apps/exec-worker/src/workflows.ts', 'apps/exec-worker/src/exec-steps.ts'],
    rules: {
      'no-restricted-imports': [
        'error',
        {
          patterns: [
            {
              regex: '^(?!@temporalio/workflow$|\\./exec-steps\\.js$)',
              message:
                'The exec workflow sees its steps and nothing of what brings it here or carries it out.',
            },
          ],
        },
      ],
    },
  },
  {
    files: ['**/main.ts', '**/migrate.ts'],
    rules: { 'no-restricted-syntax': 'off' },
  },
  {
    // Everything in infra is an edge: it starts real servers and talks to them.
    files: ['infra/**/*.ts'],
    rules: { 'no-restricted-imports': 'off', 'no-restricted-syntax': 'off' },
  },
  {
    files: ['**/*.spec.ts', '**/testing.ts', '**/testing/**/*.ts'],
    rules: {
      'no-restricted-imports': 'off',
      'no-restricted-syntax': 'off',
      'max-lines-per-function': 'off',
      '@typescript-eslint/consistent-type-assertions': 'off',
    },
  },
  prettier,
);
