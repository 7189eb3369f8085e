import { ServiceError, WorkflowExecutionAlreadyStartedError } from '@temporalio/client';
import { classifyStartError } from './temporal-starter.js';

const grpc = (code: number) =>
  new ServiceError('Failed to start Workflow', {
    cause: Object.assign(new Error(`status ${code}`), { code, details: `status ${code}`, metadata: {} }),
  });

describe('classifyStartError', () => {
  it('takes an id in use for success', () => {
    const error = new WorkflowExecutionAlreadyStartedError('already started', 'exec-sample-1', 'Sample');
    expect(classifyStartError(error)).toEqual({ kind: 'already_started' });
  });

  it('hears that Temporal asks for less', () => {
    expect(classifyStartError(grpc(8))).toEqual({ kind: 'throttled', error: 'status 8' });
  });

  it.each([1, 4, 14])('takes status %d for no answer', (code) => {
    expect(classifyStartError(grpc(code))).toEqual({ kind: 'unreachable', error: `status ${code}` });
  });

  it.each([3, 5, 7, 13])('takes status %d for a failure of this start', (code) => {
    expect(classifyStartError(grpc(code)).kind).toBe('failed');
  });

  it('takes anything else for a failure', () => {
    expect(classifyStartError(new TypeError('wrong'))).toEqual({ kind: 'failed', error: 'wrong' });
  });
});
