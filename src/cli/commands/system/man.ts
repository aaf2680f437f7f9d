import { command, type Command } from '../../command.ts'

export function manCommand(load: () => Promise<readonly Command[]>): Command {
  return command({
    name: 'man',
    summary: 'print the manual page',
    details: ['Prints roff, for "man -l -" or for a file og.1 in a folder of MANPATH.'],
    examples: ['og man | man -l -', 'og man > ~/.local/share/man/man1/og.1'],
    async run({ terminal }) {
      const { renderMan } = await import('../../man.ts')
      await terminal.write(renderMan(await load()))
      return 0
    },
  })
}
