import { expect, test } from 'bun:test'
import { loadGrammar } from '../../../src/api/grammar/grammar.ts'
import { includedHeaders, publicHeaders, resolveHeaders } from '../../../src/api/link/c-headers.ts'

test('lists the symbols of each header without a scope', async () => {
  const outline = await loadGrammar('c')
  const files = new Map([['lamp/lamp.h', outline('int lamp_on(void);\n#define _HIDDEN 1\n')]])
  const [module] = resolveHeaders(files, { pathOf: (path) => `include/${path}` })
  expect(module).toMatchObject({ name: 'lamp/lamp.h', path: 'include/lamp/lamp.h' })
  expect(module!.symbols.map(({ symbol }) => symbol.qualifiedName)).toEqual(['lamp_on'])
})

test('reads the header with the name of the library, and the headers that it includes', async () => {
  const paths = new Set(['png.h', 'pngconf.h', 'internal.h', 'sub/a.h', 'sub/b.h'])
  const place = { name: 'libpng', paths, pathOf: (path: string) => path }
  expect(publicHeaders(place)).toEqual(['png.h'])
  expect(publicHeaders({ ...place, name: 'lamp' })).toEqual([...paths])
  expect(publicHeaders({ ...place, pathOf: (path) => `include/${path}` })).toEqual([...paths])
  const outline = await loadGrammar('c')
  const top = outline(
    '#include "pngconf.h"\n#ifdef X\n#include <sub/a.h>\n#endif\n#include <stdio.h>\n',
  )
  expect(includedHeaders('png.h', top, { paths })).toEqual(['pngconf.h', 'sub/a.h'])
  expect(includedHeaders('sub/a.h', outline('#include "b.h"\n'), { paths })).toEqual(['sub/b.h'])
})
