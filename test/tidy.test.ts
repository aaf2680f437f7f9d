/** The rules of docs/internals/architecture.md and CONTRIBUTING.md that a machine can check. */
import { expect, test } from 'bun:test'
import { assertionFindings } from './support/tidy/assertions.ts'
import { cycleFindings } from './support/tidy/cycles.ts'
import { formatListFindings } from './support/tidy/format-lists.ts'
import { barrelFindings, importFindings } from './support/tidy/imports.ts'
import { messageFindings } from './support/tidy/messages.ts'
import { mirrorFindings } from './support/tidy/mirror.ts'
import * as sizes from './support/tidy/sizes.ts'
import { unnamedFindings } from './support/tidy/named.ts'
import * as prose from './support/tidy/prose.ts'
import { filesOf, readText, sourceFile, type Finding } from './support/tidy/source-file.ts'
import { earlyFindings, startupFindings } from './support/tidy/startup.ts'
import { lockFindings, placeFindings } from './support/tidy/text.ts'
import { fileNameFindings, wordFindings } from './support/tidy/words.ts'

const src = filesOf('src/**/*.ts').map((path) => sourceFile(path))
const scripts = filesOf('scripts/**/*.ts').map((path) => sourceFile(path))
const tests = filesOf('test/**/*.ts').map((path) => sourceFile(path))
const all = [...src, ...scripts, ...tests]

/**
 * Checks that the files of this repository break no rule, and that the rule judges the `examples`
 * correctly.
 */
function check(name: string, findings: () => Finding[], examples: [Finding[], string][]): void {
  test(name, () => {
    for (const [found, start] of examples) expect(found.join('\n')).toStartWith(start)
    expect(findings()).toEqual([])
  })
}

const example = (path: string, text: string) => sourceFile(path, text)

check('folders import only what is to their right', () => src.flatMap(importFindings), [
  [importFindings(example('src/page/a.ts', `import '../chunk/b.ts'`)), 'src/page/a.ts:1: imports'],
  [
    importFindings(example('src/page/a.ts', `\nimport type { B } from '../cli/b.ts'`)),
    'src/page/a.ts:2',
  ],
  [
    importFindings(example('src/page/a.ts', `type B = import('../store/b.ts').B`)),
    'src/page/a.ts:1',
  ],
  [importFindings(example('src/page/a.ts', `await import('../store/b.ts')`)), 'src/page/a.ts:1'],
  [
    importFindings(example('src/page/a.ts', `export { b } from '../../test/b.ts'`)),
    'src/page/a.ts:1',
  ],
  [
    importFindings(example('src/page/a.ts', `import '../embed/b'`)),
    'src/page/a.ts:1: imports "../',
  ],
  [importFindings(example('src/library/a.ts', `import '../memory/b.ts'`)), 'src/library/a.ts:1'],
  [importFindings(example('src/library/a.ts', `import '../config/b.ts'`)), 'src/library/a.ts:1'],
  [importFindings(example('src/search/a.ts', `import '@lancedb/lancedb'`)), 'src/search/a.ts:1'],
  [importFindings(example('src/extra/a.ts', '')), 'src/extra/a.ts:1: src/extra is not in the line'],
  [importFindings(example('src/cli/a.ts', `import '../open.ts'\nimport '../page/b.ts'`)), ''],
])

// The table imports each command when it runs. A query also loads open.ts.
const atStart = () => {
  const table = src.find(({ path }) => path === 'src/cli/commands/all.ts')!.tree.text
  const commands = [...table.matchAll(/import\('\.(.*?)'\)/g)].map(([, path]) => path!)
  const entries = [
    'src/main.ts',
    'src/open.ts',
    ...commands.map((path) => `src/cli/commands${path}`),
  ]
  return [...new Set(entries.flatMap((entry) => startupFindings(src, entry)))]
}

check('a command starts without modules that it may not need', atStart, [
  [
    startupFindings(
      [
        example('src/a.ts', `import './b.ts'`),
        example('src/b.ts', `\nimport { get } from 'node:http'`),
      ],
      'src/a.ts',
    ),
    'src/b.ts:2: every command waits for node:http',
  ],
  [
    startupFindings(
      [
        example('src/a.ts', `import { type A } from './b.ts'\nconst b = () => import('./b.ts')`),
        example('src/b.ts', `import 'node:http'`),
      ],
      'src/a.ts',
    ),
    '',
  ],
])

check('og chooses a command before it loads one', () => earlyFindings(src, 'src/main.ts'), [
  [
    earlyFindings(
      [
        example('src/main.ts', `import './cli/run.ts'`),
        example('src/cli/run.ts', `import { parse } from '../page/parse.ts'`),
        example('src/page/parse.ts', `const diff = () => import('../api/diff.ts')`),
        example('src/api/diff.ts', ''),
      ],
      'src/main.ts',
    ),
    'src/page/parse.ts:1: every command waits for it',
  ],
])

const files = (...texts: string[]) => texts.map((text, i) => example(`src/${i}.ts`, text))

check('no two files load each other', () => cycleFindings(src), [
  [
    cycleFindings(
      files(
        `import { b } from './1.ts'`,
        `import { c } from './2.ts'`,
        `import { a } from './0.ts'`,
      ),
    ),
    'src/0.ts:1: src/0.ts → src/1.ts → src/2.ts → src/0.ts; give',
  ],
  [cycleFindings(files(`import './1.ts'`, `import type { A } from './0.ts'`)), ''],
  [cycleFindings(files(`import './1.ts'\nimport './2.ts'`, `import './2.ts'`, `f()`)), ''],
  [cycleFindings(files(`import './1.ts'`, `const a = () => import('./0.ts')`)), ''],
])

check(
  'only the table of formats lists extensions and media types',
  () => src.flatMap(formatListFindings),
  [
    [
      formatListFindings(example('src/a.ts', `\n/\\.(mdx|rst)$/i`)),
      'src/a.ts:2: lists files of mdx',
    ],
    [formatListFindings(example('src/a.ts', String.raw`/\.(html?|mdx?)$/`)), 'src/a.ts:1: lists'],
    [formatListFindings(example('src/a.ts', `a = ['.adoc', '.txt']`)), 'src/a.ts:1: lists'],
    [
      formatListFindings(example('src/a.ts', `a = 'only .md or .ipynb files'`)),
      'src/a.ts:1: lists',
    ],
    [
      formatListFindings(example('src/a.ts', `a = 'text/html, text/plain;q=0.5'`)),
      'src/a.ts:1: lists',
    ],
    [
      formatListFindings(example('src/a.ts', String.raw`/\.html?$|\.json|\.txt\.gz/`)),
      'src/a.ts:1',
    ],
    [formatListFindings(example('src/a.ts', String.raw`/\.html?$/; b = ['USER.md', 'a.txt']`)), ''],
    [formatListFindings(example('src/formats/formats.ts', `a = ['.md', '.rst']`)), ''],
  ],
)

check('no export *, no index.ts', () => all.flatMap(barrelFindings), [
  [barrelFindings(example('src/a.ts', `export * from './b.ts'`)), 'src/a.ts:1: export *'],
  [barrelFindings(example('src/page/index.ts', '')), 'src/page/index.ts:1: an index.ts'],
  [barrelFindings(example('src/a.ts', `export { b } from './b.ts'`)), ''],
])

check('exported types have unique names', () => sizes.typeNameFindings(src), [
  [
    sizes.typeNameFindings([
      example('a.ts', 'export type A = 1'),
      example('b.ts', '\nexport interface A {}'),
    ]),
    'b.ts:2: type A is that of a.ts:1',
  ],
  [
    sizes.typeNameFindings([
      example('a.ts', 'export type A = 1\ntype B = 1'),
      example('b.ts', 'export type B = A'),
    ]),
    '',
  ],
])

const many = `export const ${[...'abcdefghij'].map((name) => `${name} = 1`)}\nexport function k() {}`

check(
  'functions have at most 70 lines and 3 parameters, files 10 exports',
  () => [...src, ...scripts].flatMap(sizes.sizeFindings),
  [
    [
      sizes.sizeFindings(example('a.ts', `const f = () => {${'\n'.repeat(70)}}`)),
      'a.ts:1: a function',
    ],
    [sizes.sizeFindings(example('a.ts', 'function f(a, b, c, d) {}')), 'a.ts:1: 4 parameters'],
    [sizes.sizeFindings(example('a.ts', many)), 'a.ts:1: exports 11'],
    [sizes.sizeFindings(example('a.ts', `function f(a, b, c) {${'\n'.repeat(69)}}`)), ''],
  ],
)

check('files have at most 400 lines', () => all.flatMap(sizes.lengthFindings), [
  [sizes.lengthFindings(example('a.ts', `${'\n'.repeat(400)}a`)), 'a.ts:1: 401 lines'],
  [sizes.lengthFindings(example('a.ts', `${'\n'.repeat(399)}a\n`)), ''],
])

const kept = filesOf('{src,scripts,test}/**/*').filter((path) => !path.includes('/fixtures/'))
const crowd = Array.from({ length: 21 }, (_, i) => `src/page/a${i}.ts`)

check('folders contain at most 20 files', () => sizes.folderFindings(kept), [
  [sizes.folderFindings(crowd), 'src/page: 21 files, at most 20'],
  [sizes.folderFindings([...crowd.slice(1), 'src/formats/html/html.ts']), ''],
])

check('lines have at most 100 columns', () => all.flatMap(sizes.columnFindings), [
  [sizes.columnFindings(example('a.ts', `\n${'a'.repeat(101)}`)), 'a.ts:2: 101 columns'],
  [sizes.columnFindings(example('a.ts', 'a'.repeat(100))), ''],
])

check('at most 5 try in 1,000 lines', () => sizes.tryFindings(src), [
  [sizes.tryFindings([example('src/a.ts', 'try {} finally {}')]), '1 try in 1 lines, at most 0'],
  [sizes.tryFindings([example('src/platform/a.ts', 'try {} finally {}')]), ''],
])

const lookUps = 'const [a] = b\nf(a!, b[0]!, b.at(-1)!, c.get(a)!)'

check('at most 3 non-null assertions in 1,000 lines', () => assertionFindings(src), [
  [assertionFindings([example('src/a.ts', 'f(a!)')]), '1 assertions in 1 lines, at most 0'],
  [assertionFindings([example('src/a.ts', 'f(a.b!)')]), '1 assertions'],
  [assertionFindings([example('src/a.ts', lookUps)]), ''],
])

check('no code recognises an error by its message', () => src.flatMap(messageFindings), [
  [
    messageFindings(example('src/a.ts', 'if (error.message.includes("b")) c()')),
    'src/a.ts:1: reads',
  ],
  [
    messageFindings(example('src/a.ts', 'if (/b/.test(messageOf(error))) c()')),
    'src/a.ts:1: reads',
  ],
  [messageFindings(example('src/a.ts', 'f(error.message)\nname.includes("b")')), ''],
])

check(
  'no test runs alone, and each skipped test gives a reason',
  () => tests.flatMap(sizes.idleTestFindings),
  [
    [sizes.idleTestFindings(example('a.ts', `${'test'}.skip('a', b)`)), 'a.ts:1: test.skip'],
    [
      sizes.idleTestFindings(example('a.ts', `${'test'}.skipIf(a)('a', b)`)),
      'a.ts:1: test.skipIf; use',
    ],
    [sizes.idleTestFindings(example('a.ts', `test.each(b)('a', c)`)), ''],
  ],
)

check('names avoid banned words', () => all.flatMap(wordFindings), [
  [wordFindings(example('a.ts', 'function getPage() {}')), 'a.ts:1: "getPage"; say a noun'],
  [wordFindings(example('a.ts', 'const handleHit = () => 1')), 'a.ts:1: "handleHit"'],
  [wordFindings(example('a.ts', 'const data = 1')), 'a.ts:1: "data"; say what the data is'],
  [wordFindings(example('a.ts', 'class StoreManager {}')), 'a.ts:1: "StoreManager"'],
  [wordFindings(example('a.ts', 'type A = { docset: string }')), 'a.ts:1: "docset"; say library'],
  [wordFindings(example('a.ts', 'type Node = { data: string; getAttribute(): 1 }')), ''],
  [wordFindings(example('a.ts', 'const { data: rows } = read(node.getAttribute())')), ''],
])

const natives = filesOf('native/**/*.{c,h}').map((path) => sourceFile(path))
const documents = filesOf('{README,CONTRIBUTING,CHANGELOG}.md', 'docs/**/*.md').map((path) => ({
  path,
  text: readText(path),
}))
const { commentSentences, documentSentences, proseFindings, testNameSentences } = prose
const commentFindings = (text: string) =>
  proseFindings(commentSentences(example('a.ts', text)), 0).slice(1)
const nameFindings = (text: string) =>
  proseFindings(testNameSentences(example('a.ts', text)), 0).slice(1)
const documentFindings = (text: string) =>
  proseFindings(documentSentences({ path: 'a.md', text }), 0).slice(1)

check(
  'comments are clear at first reading',
  () => proseFindings([...all, ...natives].flatMap(commentSentences), 4),
  [
    [
      commentFindings('\n/**\n * What a page\n * holds here. Good.\n */\nf()'),
      'a.ts:2: "What a page holds here."; CONTRIBUTING, Writing, rule 1',
    ],
    [commentFindings('// Of two pages\n// the first counts.\nf()'), 'a.ts:1: "Of two pages the'],
    [commentFindings('f() // Null where it is missing now.'), ''],
    [commentFindings('const a = "/* What a page holds. */"\n// Returns the first page.'), ''],
  ],
)
check(
  'test names are clear at first reading',
  () => proseFindings(tests.flatMap(testNameSentences), 1),
  [
    [nameFindings("\ntest('what is gone stays gone', f)"), 'a.ts:2: "what is gone stays gone"'],
    [nameFindings("test.each(a)('nobody is there where it %s is', f)"), ''],
    [nameFindings("test('does not restore a removed library', f)"), ''],
  ],
)
check(
  'documents are clear at first reading',
  () => proseFindings(documents.flatMap(documentSentences), 7),
  [
    [documentFindings('# A\n\nOne two.\n\n- Nobody reads this text.'), 'a.md:5: "Nobody reads'],
    [documentFindings('```\nNobody reads this text.\n```\n\n| Nobody reads this text |'), ''],
  ],
)

const e2e = 'test/e2e/contract.test.ts'
const coveredBy = {
  'src/main.ts': e2e,
  'src/open.ts': e2e,
  'src/cli/commands/': e2e,
  'src/program/bun.ts': 'test/program/session.test.ts',
  'src/program/node.ts': 'test/program/session.test.ts',
  'src/library/free.ts': 'test/e2e/surprises/space.test.ts',
  'src/library/stored-versions.ts': 'test/e2e/surprises/space.test.ts',
  'src/library/add/sandbox-work.ts': 'test/e2e/sandbox.test.ts',
  'src/platform/sandbox/sandbox-child.ts': 'test/platform/sandbox/sandbox.test.ts',
  'src/platform/kernels/encoder.ts': 'test/contract/encoder.test.ts',
  'src/platform/native/': 'test/platform/native/unpack.test.ts',
}
/** Files that still lack a test; none may be added. */
const untested: string[] = []
const testPaths = tests.map(({ path }) => path).filter((path) => path.endsWith('.test.ts'))
const lone = { tests: ['test/a.test.ts'], coveredBy: {}, untested: [] }

check(
  'every file has a test',
  () => mirrorFindings(src, { tests: testPaths, coveredBy, untested }),
  [
    [mirrorFindings([example('src/b.ts', 'f()')], lone), 'src/b.ts:1: no test'],
    [
      mirrorFindings([example('src/a.ts', 'f()')], { ...lone, coveredBy: { 'src/b.ts': 'c' } }),
      'src/b',
    ],
    [
      mirrorFindings([example('src/a.ts', 'f()')], { ...lone, untested: ['src/a.ts'] }),
      'src/a.ts:1: has',
    ],
    [
      mirrorFindings([example('src/a.ts', `import './b.ts'`), example('src/b.ts', 'f()')], lone),
      '',
    ],
    [mirrorFindings([example('src/b.ts', 'export type B = 1')], lone), ''],
  ],
)

const testFiles = tests.filter(({ path }) => path.endsWith('.test.ts'))
const mine = [example('src/a.ts', 'function f() {}')]
const shell = [example('src/cli/commands/a.ts', `command({ name: 'memory list', run() {} })`)]
const runs = (text: string) => [example('test/b.test.ts', text)]

check('a test refers to every file', () => unnamedFindings(src, testFiles), [
  [unnamedFindings(mine, runs('')), 'src/a.ts:1: no test names it'],
  [unnamedFindings(mine, runs(`import { f } from '../src/a.ts'`)), ''],
  [unnamedFindings(mine, [example('test/a.test.ts', '')]), ''],
  [unnamedFindings(shell, runs(`run('memory', 'listed')`)), 'src/cli/commands/a.ts:1: no'],
  [unnamedFindings(shell, runs(`run(['memory', 'list'])`)), ''],
  [unnamedFindings([example('src/a.ts', 'export const a = 1')], []), ''],
])

const named = filesOf('{src,scripts,test,docs,native}/**/*').filter(
  (path) => !path.startsWith('test/fixtures/') && !path.endsWith('README.md'),
)

check('file names are kebab-case without banned words', () => named.flatMap(fileNameFindings), [
  [fileNameFindings('src/page/ParsePage.ts'), 'src/page/ParsePage.ts:1: "ParsePage.ts" is not'],
  [fileNameFindings('src/utils/page.ts'), 'src/utils/page.ts:1: "utils"; say name what it does'],
  [fileNameFindings('src/page/types.ts'), 'src/page/types.ts:1: "types.ts" names no thing'],
  [fileNameFindings('test/formats/front-matter.test.ts'), ''],
])

const texts = filesOf('{src,scripts,test,docs,native,.ci,.github}/**/*', '*').map((path) => ({
  path,
  text: readText(path),
}))
const elsewhere = ['registry', 'npmjs', 'org'].join('.')
const placeIn = (folder: string) => ['', folder, 'x'].join('/')

check(
  'no file names a package registry or a path of one machine',
  () => texts.flatMap(placeFindings),
  [
    [placeFindings({ path: 'a', text: `\nsee ${elsewhere}` }), 'a:2: registry.'],
    [placeFindings({ path: 'a', text: `open("${placeIn('root')}")` }), 'a:1: the path'],
    [
      placeFindings({ path: 'a', text: `/etc/passwd ~${placeIn('work')} b.org${placeIn('root')}` }),
      '',
    ],
  ],
)

check('the lock file serves every registry and platform', () => {
  return lockFindings(JSON.parse(readText('package-lock.json')))
}, [
  [lockFindings({ packages: { a: { resolved: 'https://example.org/a.tgz' } } }), 'package-lock'],
  [
    lockFindings({ packages: { a: { optionalDependencies: { b: '1' } } } }),
    'package-lock.json: lacks',
  ],
])
