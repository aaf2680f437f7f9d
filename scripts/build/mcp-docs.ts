import { join } from 'node:path'
import { docsTools } from '../../src/mcp/face.ts'
import { ingestTools } from '../../src/mcp/ingest/ingest-tools.ts'
import { researchPrompt } from '../../src/mcp/docs/prompt.ts'
import { pageTemplate } from '../../src/mcp/docs/resources.ts'
import { bootstrapPrompt } from '../../src/mcp/memory/memory-prompt.ts'
import { allMemoryTools } from '../../src/mcp/memory/memory-tools.ts'
import { listingOf } from '../../src/mcp/server.ts'
import { skills, skillUri } from '../../src/mcp/skills/skill.ts'
import { skillsExtension } from '../../src/mcp/skills/skills.ts'
import { clients, type Client } from '../../src/cli/clients/client.ts'
import { configText } from '../../src/cli/clients/snippet.ts'
import { code, table } from './docs-table.ts'

export const mcpDocsPath = join(import.meta.dirname, '../..', 'docs/reference/mcp.md')

/** docs/mcp.md as the tables of tools have it now. */
export async function renderMcpDocs(): Promise<string> {
  const snippets = await Promise.all(clients.map(renderClient))
  const prompt = researchPrompt.arguments.map(({ name, description }) => [code(name), description])
  return [
    '# MCP server',
    'Generated from the tool tables by `scripts/build/docs.ts`; a test fails when it is stale.',
    mcpIntroduction,
    '## Tools',
    ...docsTools.map(renderTool),
    '## Tools that index',
    'Listed where the server was started with `--allow-ingest`. A job is a process of its own: ' +
      'it goes on when the client leaves, and ends when the call is cancelled. A client that ' +
      'declares the Tasks extension (SEP-2663) gets a task at once and asks for its end by ' +
      '`tasks/get`, of another server of the same store too.',
    ingestReach,
    ...ingestTools.map(renderTool),
    '## Resources',
    `${code(pageTemplate.uriTemplate)}: ${pageTemplate.description.toLowerCase()}. ` +
      'Library, version and path are completed; `resources/list` has 200 a page.',
    '## Skills',
    `The server has the extension ${code(skillsExtension)} (SEP-2640). Clients that know it ` +
      'list the skills of what is served, check and read them; to others they are resources.',
    table(
      ['Skill', 'For'],
      Object.values(skills).map((skill) => [code(skillUri(skill)), skill.description]),
    ),
    '## Prompt',
    `\`${researchPrompt.name}\`: ${researchPrompt.description.toLowerCase()}.`,
    table(['Argument', 'Meaning'], prompt),
    '## Memory',
    memoryIntroduction,
    ...allMemoryTools.map(renderTool),
    `Prompt \`${bootstrapPrompt.name}\`, without arguments: ` +
      `${bootstrapPrompt.description.replace('What', 'what')}.`,
    '## Clients',
    '`og install-mcp --CLIENT` writes these for you, with the absolute path of `og`.',
    ...snippets,
  ]
    .join('\n\n')
    .concat('\n')
}

const mcpIntroduction = `
\`og mcp\` serves one agent over stdin and stdout; \`og serve\` serves any number over streamable
HTTP, by default at \`http://127.0.0.1:4241/mcp\`. Both speak every revision of the Model Context
Protocol from 2024-11-05 to 2026-07-28. \`og install-mcp\` writes what a client needs into its file,
\`og mcp --print-config CLIENT\` prints it.

The text of an answer is for the model. The \`structuredContent\` of \`search_documents_tool\`
and \`get_full_content_tool\` has addresses, lines and scores without the passages; the argument
\`structured: "full"\` adds them. Claude Code and Codex show their model the structured content
in place of the text, so they get none unless they ask for it. Hits name their page briefly, and
\`get_full_content_tool\` takes that name as \`url\`. The setting \`mcp.answer_shape\` brings back
the text of openground. Passages stand in fences that nothing in them can close, and are labelled
as data. What is not indexed is answered with the nearest names and the command that would add it;
wrong arguments are results with \`isError\` that say what to write instead.

Over HTTP, requests whose Host or Origin is not of this machine are refused, and no CORS header is
sent; \`/health\` alone answers everybody. A request has at most 4 MiB, and an address may ask 200
times a second. No session is kept:
notifications reach clients of 2026-07-28 (\`subscriptions/listen\`), and older ones over stdio.
`.trim()

const ingestReach = `
What an agent names counts as named by a stranger, whose page it may have read:

- Hosts are public. Every spelling of an address of this machine, of a private or link-local
  network and of no server at all is refused, and so are names that resolve to one, single words,
  and names below \`.local\`, \`.internal\`, \`.lan\`, \`.home\`, \`.corp\` and the like. The same
  holds for what a site lists, links to and redirects to, for git's redirects, and for the stored
  source of a library that is updated.
- Repositories are read by http and https. ssh and \`git://\` look names up by themselves, and ssh
  brings your key: they go to allowed hosts only.
- Folders, files and archives on this disk lie in the folder in which \`og mcp\` was started,
  unless that is your home or holds it; links count by where they lead. \`file://\`, bundles and
  bare repositories cannot be named, and nothing on the disk of an \`og serve\`. What a person has
  indexed from the disk may be updated.
- That a person trusts a project (\`og sources trust\`) opens nothing to an agent, and what an agent
  names is not remembered in a sources.json.

Who starts the server allows other hosts: \`og mcp --allow-ingest --allow-host 10.0.0.7:8080\`.
\`og install-mcp\` takes both flags and writes them into the client's file; for \`og serve\` it is
\`--allow-source-host\`, since \`--allow-host\` is the name by which clients call it. Without a port
all of the host's ports are meant. Names are compared as they are typed: an allowed name does not
allow its address. Connections go to the address that was checked; git before 2.37 looks the name
up once more.
`.trim()

const memoryIntroduction = `
\`og memory mcp\` serves a memory ([guide](../guide/memory.md)) over stdin and stdout,
\`og mcp --memory\` offers its tools beside those of documentation, and \`og memory serve\` serves
workspaces over HTTP, by default at \`http://127.0.0.1:4242/mcp\`. Names, arguments, results and
messages of the tools are GroundMemory's.

\`memory_list\` is listed with \`expose_memory_list\`, \`memory_compact\` where
\`bootstrap.compaction_token_threshold\` is set; called where it is not, it says how to set it.
With \`dispatcher_mode\` there is \`memory_tool\` alone, whose actions are all of them. Who may
only read is offered nothing that writes. Keys, several workspaces, proxies and the container:
[memory-server.md](memory-server.md).

What is stored is labelled as data in every answer that quotes it, and cannot forge the frame of
\`memory_bootstrap\`. No message names a place of the machine that memory is on.
`.trim()

type ListedTool = Parameters<typeof listingOf>[0] & { aliases: readonly string[] }

/** What belongs into a client's file where `og` is on its PATH. */
async function renderClient(client: Client): Promise<string> {
  const config = await configText(client, { command: 'og', args: ['mcp'] })
  return `### ${client.title}\n\n\`\`\`${client.format}\n${config}\`\`\``
}

function renderTool(tool: ListedTool): string {
  const { title, description, inputSchema, outputSchema, annotations } = listingOf(tool)
  const hints = Object.entries(annotations).flatMap(([hint, is]) => (is === true ? [hint] : []))
  const required = inputSchema.required as string[] | undefined
  const rows = Object.entries(propertiesOf(inputSchema)).map(([name, property]) => [
    code(name),
    required?.includes(name) ? 'yes' : '',
    property.type,
    property.description ?? '',
  ])
  const fields = Object.keys(propertiesOf(outputSchema)).map(code).join(', ')
  return [
    `### ${tool.name}`,
    `${title}. ${description}`,
    table(['Argument', 'Needed', 'Type', 'Meaning'], rows),
    `Annotations: ${listed(hints) || 'none'}.` +
      (tool.aliases.length === 0 ? '' : ` Also called: ${listed(tool.aliases)}.`),
    fields === '' ? 'Answers an object from name to a list of versions.' : `Answers ${fields}.`,
  ].join('\n\n')
}

const listed = (names: readonly string[]) => names.map(code).join(', ')

type Property = { type: string; description?: string }

function propertiesOf({ properties = {} }: Record<string, unknown>): Record<string, Property> {
  return properties as Record<string, Property>
}
