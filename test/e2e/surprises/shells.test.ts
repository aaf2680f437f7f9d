/** Tests Tab completion in bash, zsh and fish, with the scripts of dist/og. */
import { expect } from 'bun:test'
import { createWorld, handbook, type World } from '../../support/e2e.ts'
import { testWhere } from '../../support/where.ts'

/** The script prints the completions of a line, one per line. */
type Shell = { command: string; args: string[]; script(line: string): string }

const shells: Shell[] = [
  {
    command: 'bash',
    args: ['--norc', '-c'],
    // Sets the variables as readline does, with the cursor at the end of the line.
    script: (line) => `source <(og completion bash)
COMP_LINE='${line}' COMP_POINT=${line.length} COMP_TYPE=9
words='${line}'
read -ra COMP_WORDS <<< "$words"; [[ $words == *' ' ]] && COMP_WORDS+=('')
COMP_CWORD=$(( \${#COMP_WORDS[@]} - 1 ))
_og; printf '%s\\n' "\${COMPREPLY[@]}"`,
  },
  {
    command: 'zsh',
    args: ['-f', '-c'],
    // Runs a shell in a pseudo-terminal and sends a Tab that lists the candidates.
    script: (line) => `zmodload zsh/zpty
zpty tab zsh -f -i
zpty -w tab "PS1='' TERM=dumb LISTMAX=999; autoload -Uz compinit; compinit -u -D
source <(og completion zsh); bindkey '^I' list-choices; print REA''DY"
zpty -r tab out '*READY*'
zpty -n -w tab $'${line}\\t\\n'
zpty -w tab "print -- DO''NE"
zpty -r tab out '*DONE*'; print -r -- "$out"`,
  },
  {
    command: 'fish',
    args: ['--no-config', '-c'],
    script: (line) => `og completion fish | source; complete -C '${line}'`,
  },
]

async function tab(world: World, { command, args, script }: Shell, line: string): Promise<string> {
  const PATH = `${world.folder}/bin:/usr/bin:/bin`
  const child = Bun.spawn([command, ...args, script(line)], {
    env: { ...world.env, PATH, TERM: 'dumb' },
    stdout: 'pipe',
    stderr: 'ignore',
  })
  const stdout = await new Response(child.stdout).text()
  expect(await child.exited).toBe(0)
  return stdout
}

for (const shell of shells) {
  const lack = Bun.which(shell.command) === null ? `no ${shell.command} here` : null
  testWhere(lack)(`completes by Tab in ${shell.command}`, async () => {
    await using world = await createWorld()
    await world.og(['add', 'kettle', '-s', handbook, '-v', '1.10'])
    for (const [line, offered] of [
      ['og que', ['query']],
      ['og query --kin', ['--kind']],
      ['og query --kind ', ['changelog', 'guide', 'reference']],
      ['og query x -l ke', ['kettle']],
      ['og diff kettle@', ['1.10']],
    ] as const) {
      const shown = await tab(world, shell, line)
      for (const word of offered) expect(shown).toContain(word)
    }
  })
}
