import { createControlList } from './control-list.js';

interface Entry {
  readonly name: string;
  readonly times?: number;
}
const anything = () => true;

describe('createControlList', () => {
  it('takes the first entry that matches', () => {
    const list = createControlList<Entry>();
    list.replace('', [{ name: 'a' }, { name: 'b' }]);
    expect(list.take(({ name }) => name === 'b', 's')).toEqual({ name: 'b' });
    expect(list.take(({ name }) => name === 'c', 's')).toBeUndefined();
  });

  it('counts times for each subject, and goes on to the next entry when one is used up', () => {
    const list = createControlList<Entry>();
    list.replace('', [
      { name: 'a', times: 2 },
      { name: 'b', times: 1 },
    ]);
    const taken = (subject: string) => list.take(anything, subject)?.name;
    expect([taken('x'), taken('x'), taken('y'), taken('x'), taken('x')]).toEqual([
      'a',
      'a',
      'a',
      'b',
      undefined,
    ]);
  });

  it('begins to count anew when it is replaced', () => {
    const list = createControlList<Entry>();
    list.replace('', [{ name: 'a', times: 1 }]);
    list.take(anything, 'x');
    list.replace('', [{ name: 'a', times: 1 }]);
    expect(list.take(anything, 'x')?.name).toBe('a');
  });

  it('keeps the entries of other scopes', () => {
    const list = createControlList<Entry>();
    list.replace('one', [{ name: 'a' }]);
    list.replace('two', [{ name: 'b' }]);
    list.replace('one', [{ name: 'c' }]);
    expect(list.all()).toEqual([{ name: 'b' }, { name: 'c' }]);
    list.clear('two');
    expect(list.all()).toEqual([{ name: 'c' }]);
    list.clear();
    expect(list.all()).toEqual([]);
  });

  it('orders entries of all scopes when it was given an order', () => {
    const list = createControlList<Entry>((a, b) => b.name.length - a.name.length);
    list.replace('one', [{ name: 'a' }, { name: 'aaa' }]);
    list.replace('two', [{ name: 'aa' }]);
    expect(list.all().map(({ name }) => name)).toEqual(['aaa', 'aa', 'a']);
  });
});
