// A second domain, as small as one can be: what its authors write, and all that they write for Temporal.
import { proxyActivities } from '@temporalio/workflow';
import { createScheduleLifecycle } from '@sluice/queue-core/workflow';
import type { EnqueueReport } from '@sluice/queue-core/workflow';

export interface Invoice {
  readonly id: string;
  readonly cents: number;
  readonly sendAt: string;
}

export interface InvoiceActivities {
  sendInvoice(id: string, cents: number): Promise<void>;
}

const schedule = createScheduleLifecycle('INVOICE');
const { sendInvoice } = proxyActivities<InvoiceActivities>({ startToCloseTimeout: '5s' });

export async function InvoiceInitWorkflow(invoice: Invoice): Promise<EnqueueReport> {
  const contextJson = JSON.stringify({ cents: invoice.cents });
  return schedule([{ itemId: invoice.id, contextJson, scheduledExecTime: invoice.sendAt }]);
}

export async function InvoiceExecWorkflow(itemId: string, contextJson: string): Promise<void> {
  const { cents } = JSON.parse(contextJson) as { cents: number };
  await sendInvoice(itemId, cents);
}
