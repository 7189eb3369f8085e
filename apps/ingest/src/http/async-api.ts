import { z } from 'zod';
import { PaymentRequest } from '@sluice/payments';
import { deadLetterReasons, requestEventType } from '../request-message.js';

const cloudEventHeaders = {
  type: 'object',
  description: 'All optional. With `ce_specversion` the message is a CloudEvent in binary form.',
  properties: {
    'content-type': { type: 'string', examples: ['application/json', 'application/cloudevents+json'] },
    ce_specversion: { const: '1.0' },
    ce_type: { const: requestEventType },
    ce_id: { type: 'string' },
    ce_source: { type: 'string' },
    traceparent: { type: 'string', description: 'W3C trace context; the payment carries it on.' },
  },
};

const deadLetterHeaders = {
  type: 'object',
  description: 'Those of the original message, and these.',
  required: ['dlq_reason', 'dlq_detail', 'dlq_source_topic', 'dlq_source_partition', 'dlq_source_offset'],
  properties: {
    dlq_reason: {
      enum: Object.keys(deadLetterReasons),
      description: Object.entries(deadLetterReasons)
        .map(([reason, meaning]) => `\`${reason}\`: ${meaning}`)
        .join('\n'),
    },
    dlq_detail: { type: 'string' },
    dlq_source_topic: { type: 'string' },
    dlq_source_partition: { type: 'string', pattern: '^\\d+$' },
    dlq_source_offset: { type: 'string', pattern: '^\\d+$' },
  },
};

const channels = {
  paymentsRequested: {
    address: 'payments.requested',
    description: 'Payments to be taken in. Safe to repeat: one paymentId is one payment for ever.',
    messages: { paymentRequest: { $ref: '#/components/messages/paymentRequest' } },
    bindings: { kafka: { topic: 'payments.requested', partitions: 12, bindingVersion: '0.5.0' } },
  },
  paymentsRequestedDlq: {
    address: 'payments.requested.dlq',
    description: 'Messages that can be no payment, unchanged, with the reason in their headers.',
    messages: { deadLetter: { $ref: '#/components/messages/deadLetter' } },
    bindings: {
      kafka: {
        topic: 'payments.requested.dlq',
        partitions: 1,
        topicConfiguration: { 'retention.ms': 2_592_000_000, 'max.message.bytes': 2_097_152 },
        bindingVersion: '0.5.0',
      },
    },
  },
};

/** AsyncAPI 3 of the topics that producers meet, from the schema that the intake itself goes by. */
export function asyncApiDocument(): Record<string, unknown> {
  return {
    asyncapi: '3.0.0',
    info: {
      title: 'Sluice payment requests',
      version: '1.0.0',
      description:
        'Payments over Kafka. The names of the topics are defaults; the service can be given others.',
    },
    defaultContentType: 'application/json',
    channels,
    operations: {
      takePaymentRequests: {
        action: 'receive',
        channel: { $ref: '#/channels/paymentsRequested' },
        summary: 'The offset is committed when the payments will reach a terminal state.',
      },
      setMessageAside: { action: 'send', channel: { $ref: '#/channels/paymentsRequestedDlq' } },
    },
    components: {
      messages: {
        paymentRequest: {
          name: 'PaymentRequest',
          summary: 'A payment: plain JSON, or a CloudEvent 1.0 in binary or structured form with it as data',
          headers: cloudEventHeaders,
          payload: { $ref: '#/components/schemas/PaymentRequest' },
          bindings: {
            kafka: {
              key: {
                type: 'string',
                description: 'The participantId keeps the payments of a participant in order.',
              },
              bindingVersion: '0.5.0',
            },
          },
        },
        deadLetter: { name: 'DeadLetter', headers: deadLetterHeaders, payload: {} },
      },
      schemas: { PaymentRequest: requestSchema() },
    },
  };
}

function requestSchema(): unknown {
  const { $schema: _dialect, ...schema } = z.toJSONSchema(PaymentRequest, { io: 'input' });
  return schema;
}
