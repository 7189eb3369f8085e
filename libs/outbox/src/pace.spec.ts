import { createPace } from './pace.js';

it('begins with one instruction, before it knows how long a send takes', () => {
  expect(createPace({ budgetMs: 100, longest: 50 }).runLength()).toBe(1);
});

it('goes as far as the budget allows, and no further than the longest run', () => {
  const pace = createPace({ budgetMs: 100, longest: 50 });
  pace.observe(10);
  expect(pace.runLength()).toBe(10);
  const instant = createPace({ budgetMs: 100, longest: 50 });
  instant.observe(0);
  expect(instant.runLength()).toBe(50);
});

it('comes down to one instruction when sends become slow', () => {
  const pace = createPace({ budgetMs: 100, longest: 50 });
  pace.observe(1);
  pace.observe(2_000);
  expect(pace.runLength()).toBe(1);
});
