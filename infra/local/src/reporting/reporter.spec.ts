import { createReporter } from './reporter.js';
import { createLiveDisplay } from './live-display.js';
import { createPlainLines } from './plain-lines.js';

/** A screen that remembers what was written to it. */
function paper(isTTY = false): {
  isTTY: boolean;
  columns: number;
  write(text: string): void;
  text(): string;
} {
  let written = '';
  return {
    isTTY,
    columns: 60,
    write: (text) => {
      written += text;
    },
    text: () => written,
  };
}

describe('plain lines', () => {
  it('say each change of a step once, with the seconds it took', () => {
    const screen = paper();
    let now = 1000;
    const reporter = createPlainLines(screen, () => now);
    reporter.step('Kafka', 'installing', 'Kafka 4.1.1');
    reporter.step('Kafka', 'installing', 'still');
    now = 3500;
    reporter.step('Kafka', 'ready', '127.0.0.1:3592');
    expect(screen.text()).toBe(
      'Kafka: installing · Kafka 4.1.1\nKafka: ready after 2.5 s · 127.0.0.1:3592\n',
    );
  });
});

describe('the live display', () => {
  it('draws over what it drew before', () => {
    const screen = paper(true);
    const reporter = createLiveDisplay(screen, () => 0);
    reporter.step('Kafka', 'starting');
    reporter.step('Redis', 'starting');
    reporter.step('Kafka', 'ready');
    reporter.close();
    expect(screen.text()).toContain('\u001b[2A\u001b[0J');
  });

  it('cuts a line that would wrap', () => {
    const screen = paper(true);
    const reporter = createLiveDisplay(screen, () => 0);
    reporter.step('Kafka', 'starting', 'x'.repeat(200));
    reporter.close();
    expect(screen.text()).not.toContain('x'.repeat(60));
  });

  it('puts lines that stay above the steps', () => {
    const screen = paper(true);
    const reporter = createLiveDisplay(screen, () => 0);
    reporter.step('Kafka', 'starting');
    reporter.say('hello');
    reporter.close();
    expect(screen.text()).toMatch(/hello\n[^\n]*Kafka/);
  });
});

describe('a reporter', () => {
  it.each([
    { isTTY: true, environment: {}, isLive: true },
    { isTTY: true, environment: { CI: 'true' }, isLive: false },
    { isTTY: true, environment: { TERM: 'dumb' }, isLive: false },
    { isTTY: false, environment: {}, isLive: false },
  ])('is live only where someone watches a terminal: %j', ({ isTTY, environment, isLive }) => {
    const screen = paper(isTTY);
    const reporter = createReporter(screen, environment);
    reporter.step('Kafka', 'starting');
    reporter.close();
    expect(screen.text().includes('\u001b[')).toBe(isLive);
  });
});
