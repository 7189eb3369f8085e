import { dispatchConfigSchema, itemTypeSchema } from './dispatch-config.js';
import { execWorkflowId } from './exec-workflow-id.js';
import { settings } from './testing/harness.js';

describe('dispatchConfigSchema', () => {
  it('takes a whole config', () => {
    expect(dispatchConfigSchema.parse(settings)).toEqual(settings);
  });

  it.each([
    ['batchSize', 0],
    ['batchSize', 10_001],
    ['dispatchIntervalSecs', 0],
    ['dispatchIntervalSecs', 2.5],
    ['jitterWindowMs', -1],
    ['maxDispatchRetries', 0],
    ['staleClaimThresholdMins', 0],
    ['execWorkflowType', ''],
    ['enabled', 'yes'],
  ])('refuses %s = %s', (key, value) => {
    expect(dispatchConfigSchema.safeParse({ ...settings, [key]: value }).success).toBe(false);
  });

  it('refuses a missing and an unknown field', () => {
    const { enabled: _enabled, ...rest } = settings;
    expect(dispatchConfigSchema.safeParse(rest).success).toBe(false);
    expect(dispatchConfigSchema.safeParse({ ...settings, speed: 1 }).success).toBe(false);
  });
});

describe('execWorkflowId', () => {
  it('names an item by its type in small letters and its id', () => {
    expect(execWorkflowId('INVOICE', 'Ab-1')).toBe('exec-invoice-Ab-1');
  });

  it('is safe because no item type has a hyphen or small letters', () => {
    expect(itemTypeSchema.safeParse('IN-VOICE').success).toBe(false);
    expect(itemTypeSchema.safeParse('Invoice').success).toBe(false);
    expect(itemTypeSchema.safeParse('INVOICE_2').success).toBe(true);
  });
});
