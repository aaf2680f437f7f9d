export function table(head: string[], rows: string[][]): string {
  const line = (cells: string[]) => `| ${cells.join(' | ')} |`
  const body = rows.map((row) => line(row.map((cell) => cell.replaceAll('|', '\\|'))))
  return [line(head), line(head.map(() => '---')), ...body].join('\n')
}

export function code(text: string): string {
  return `\`${text}\``
}
