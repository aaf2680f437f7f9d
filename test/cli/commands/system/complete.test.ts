import { expect, test } from 'bun:test'
import {
  completion,
  completionAt,
  type Completion,
} from '../../../../src/cli/commands/system/complete.ts'
import { loadCommands } from '../../../../src/cli/commands/all.ts'
import { openHome } from '../../../support/run-og.ts'

const commands = await loadCommands()

/** `line` is the text before the cursor. */
function check(line: string, expected: string[] | Completion): void {
  const found = completionAt(commands, line.split(' '))
  if (Array.isArray(expected) && 'words' in found) {
    expect(found.words.map(([word]) => word)).toEqual(expected)
  } else expect(found).toEqual(expected as Completion)
}

test('completes commands and groups', () => {
  check('qu', ['query'])
  check('con', ['context', 'config'])
  check('config s', ['show', 'set'])
  check('__', [])
  check('completion ', ['bash', 'zsh', 'fish'])
  check('nonsense ', [])
})

test('completes options before "--"', () => {
  check('query --ve', ['--version'])
  check('query a --js', ['--json', '--jsonl'])
  check('query -- --js', [])
  check('list --', ['--search', '--json', '--help', '--quiet', '--no-input', '--color'])
  check('list --Q', ['--quiet'])
})

test('requests a lookup for values that come from the store', () => {
  check('query -l fa', { suggest: 'library', library: null, word: 'fa', lead: '' })
  const lead = '--library='
  check('query --library=fa', { suggest: 'library', library: null, word: 'fa', lead })
  check('query x -l fastapi -v 0', { suggest: 'version', library: 'fastapi', word: '0', lead: '' })
  const ofFastapi = { suggest: 'version', library: 'fastapi', word: '', lead: '' } as const
  check('query --library=fastapi -v ', ofFastapi)
  check('rm fas', { suggest: 'library', library: null, word: 'fas', lead: '' })
  check('remove fastapi -y -v ', ofFastapi)
  check('config get q', { suggest: 'setting', library: null, word: 'q', lead: '' })
  check('add x -s ', [])
})

test('completes values of options with fixed choices', () => {
  check('query x --kind re', ['reference'])
  check('query x --kind=g', ['--kind=guide'])
  check('query x --language pt', ['pt', 'pt-br'])
  check('query x --color a', ['auto', 'always'])
  check('list --color=n', ['--color=never'])
  check('memory write x --file U', ['USER.md'])
  check('diff fastapi@', { suggest: 'library@version', library: null, word: 'fastapi@', lead: '' })
  check('memory restore ', { suggest: 'backup', library: null, word: '', lead: '' })
  check('reembed fastapi -m b', { suggest: 'model', library: 'fastapi', word: 'b', lead: '' })
})

test('omits the part of a word that bash has already split off', async () => {
  const home = openHome()
  using _ = home
  const { stdout: script } = await home.run(['completion', 'bash'])
  expect(completion.name).toBe('completion')
  const ask = async (line: string, part: string, answer: string) => {
    const probe = `${script}
og() { printf '%s\\n' "$*" > "$ASKED"; printf '%b' "$ANSWER"; }
COMP_LINE="$LINE" COMP_POINT=\${#LINE} COMP_WORDS=("$PART") COMP_CWORD=0
_og
printf '%s\\n' "\${COMPREPLY[@]}"`
    const asked = `${home.path}/asked`
    const env = { ...process.env, LINE: line, PART: part, ANSWER: answer, ASKED: asked }
    const { stdout } = Bun.spawnSync(['bash', '-c', probe], { env })
    return { asked: (await Bun.file(asked).text()).trimEnd(), offered: stdout.toString().trim() }
  }
  expect(await ask('og qu', 'qu', 'query\\tsearch\\n')).toEqual({
    asked: '__complete -- qu',
    offered: 'query',
  })
  expect((await ask('og query ', '', 'x\\t\\n')).asked).toBe('__complete -- query')
  expect((await ask('og get -l @sc', 'sc', '@scope/a b\\t\\n')).offered).toBe('scope/a\\ b')
  expect((await ask('og get --library=', '=', '--library=x\\t\\n')).offered).toBe('x')
})
