export interface Table {
  readonly title: string;
  readonly header: readonly string[];
  readonly rows: readonly (readonly string[])[];
}

/** Plain text: the first column to the left, figures to the right. */
export function renderTable({ title, header, rows }: Table): string {
  const widths = header.map((name, column) =>
    Math.max(name.length, ...rows.map((row) => row[column]?.length ?? 0)),
  );
  const line = (cells: readonly string[]) =>
    `  ${widths.map((width, column) => pad(cells[column] ?? '', width, column)).join('  ')}`.trimEnd();
  return [title, line(header), line(widths.map((width) => '─'.repeat(width))), ...rows.map(line)].join('\n');
}

function pad(cell: string, width: number, column: number): string {
  return column === 0 ? cell.padEnd(width) : cell.padStart(width);
}

/** 1234567.8 → "1,234,568" */
export function whole(value: number): string {
  return Math.round(value).toLocaleString('en-US');
}

/** With as many places as are worth reading: "0.034", "3.42", "34.2", "342". */
export function figure(value: number): string {
  const size = Math.abs(value);
  if (size >= 100 || value === 0) return whole(value);
  return value.toFixed(size >= 10 ? 1 : size >= 1 ? 2 : 3);
}

/** "1.32×" */
export function times(value: number): string {
  return `${figure(value)}×`;
}
