import { filled, type Shapes } from './filled.ts'

export const notebookShapes: Shapes = {
  newlines: (size) => notebook(markdown(`# T${filled('\n', size)}x`)),
  out: (size) => notebook(markdown('# T'), printed(`+${filled(' ', size)}1+`)),
  'out cr': (size) => notebook(markdown('# T'), printed(`+${filled('\r', size)}1+`)),
  'out many': (size) =>
    notebook(
      ...Array.from({ length: Math.ceil(size / 50_000) }, () =>
        printed(`+${filled(' ', 50_000)}1+`),
      ),
    ),
  deep: (size) => `{"nbformat":4,"cells":${filled('[', size)}${filled(']', size)}}`,
  'deep obj': (size) =>
    `{"nbformat":4,"metadata":${filled('{"a":', size)}1${filled('}', size / 5)},` +
    '"cells":[{"cell_type":"markdown","source":"# a b c"}]}',
  tables: (size) => notebook(markdown('# T'), shown(filled('<table><tr><td>a', size))),
  'table rows': (size) => notebook(markdown('# T'), shown(`<table>${filled('<tr><td>a', size)}`)),
  'table cells': (size) =>
    notebook(markdown('# T'), shown(`<table><tr>${filled('<td colspan=50>', size)}a`)),
  'table ends': (size) =>
    notebook(markdown('# T'), shown(`<table>${filled('</table></td>', size)}`)),
  b64: (size) => notebook(markdown('# T'), printed(filled('A '.repeat(100), size))),
}

type Cell = { cell_type: string; source: string; outputs?: unknown[] }

function notebook(...cells: Cell[]): string {
  return JSON.stringify({ nbformat: 4, cells })
}

function markdown(source: string): Cell {
  return { cell_type: 'markdown', source }
}

function printed(text: string): Cell {
  return { cell_type: 'code', source: 'x', outputs: [{ output_type: 'stream', text }] }
}

function shown(html: string): Cell {
  const outputs = [{ output_type: 'display_data', data: { 'text/html': html } }]
  return { cell_type: 'code', source: 'x', outputs }
}
