export interface LedgerLine {
  readonly instructionId: string;
  readonly idempotencyKey: string;
  readonly paymentId: string;
  readonly participantId: string;
  readonly sequence: number;
  readonly minorUnits: number;
  readonly reference: string;
}

export interface RailSimulator {
  readonly url: string;
  /** replaces what this test told it before */
  tell(...rules: Record<string, unknown>[]): Promise<void>;
  /** what was really executed, in the order of execution */
  ledger(instructionPrefix: string): Promise<LedgerLine[]>;
}

/** The rail simulator of the test run, which others use at the same time: rules belong to the test. */
export function railSimulator(url: string, scope: string): RailSimulator {
  return {
    url,
    async tell(...rules) {
      const answer = await fetch(`${url}/control/rules?scope=${scope}`, {
        method: 'PUT',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(rules),
      });
      if (!answer.ok) throw new Error(`the rail simulator refused its rules: ${await answer.text()}`);
    },
    async ledger(instructionPrefix) {
      const answer = await fetch(`${url}/ledger?instructionPrefix=${instructionPrefix}`);
      const lines = (await answer.text()).split('\n').filter((line) => line !== '');
      return lines.map((line) => JSON.parse(line) as LedgerLine);
    },
  };
}
