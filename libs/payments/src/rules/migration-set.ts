import { join } from 'node:path';

/** The tables of the rules that remember; they stand beside those of the payments. */
export const paymentRulesMigrations = {
  component: 'payment-rules',
  pg: join(__dirname, 'migrations', 'pg'),
};
