import type { ApiClient } from './api-client.js';

/** Where the demonstration finds the parts that it configures. */
export interface DemoAddresses {
  readonly slotAssignerUrl: string;
  readonly dispatcherUrl: string;
  readonly webhookRelayerUrl: string;
  readonly sinkUrl: string;
}

/**
 * Sets what an operator would set once: how many payments a window may hold, how the dispatcher releases them, and who is told.
 * Everything goes through the services' own APIs. The herd of 200 then takes ten windows of one second.
 */
export async function applySettings(api: ApiClient, addresses: DemoAddresses): Promise<void> {
  await api.send('POST', `${addresses.slotAssignerUrl}/admin/rate-limit/config`, {
    configName: 'payments',
    maxPerWindow: 20,
    windowSize: 'PT1S',
  });
  await api.send('PUT', `${addresses.dispatcherUrl}/api/v1/dispatch/config/PAYMENT`, {
    enabled: true,
    batchSize: 200,
    dispatchIntervalSecs: 2,
    jitterWindowMs: 250,
    preStartBufferMins: 1,
    maxDispatchRetries: 5,
    staleClaimThresholdMins: 1,
    execWorkflowType: 'PaymentExecWorkflow',
    execTaskQueue: 'payment-exec-task-queue',
  });
  await api.send('POST', `${addresses.webhookRelayerUrl}/subscriptions`, {
    url: `${addresses.sinkUrl}/hooks/demonstration`,
    eventTypes: ['payment.*'],
  });
}
