import type { ApiClient } from './api-client.ts';
import { type AddCommand, type CommandContext, printJson } from './command-context.ts';
import { CommandFailure } from './exit.ts';
import { readPackets, type SourceDocument } from './read-packets.ts';
import { bold, type OutputStream, plainLine, plainText } from './terminal.ts';

/** A model may think before its first word; this long without a sign is a fault. */
const IDLE_MS = 120_000;

/** `millrace ask`: an answer with citations, printed as it comes. */
export const addAskCommand: AddCommand = (program, context) => {
  program
    .command('ask')
    .summary('ask a question')
    .description('Ask a question; the answer is printed as it comes, with the sources it cites.')
    .argument('<question...>', 'the question')
    .addHelpText('after', '\nExample:\n  millrace ask How long are finished jobs kept?')
    .action((words: string[]) => ask(words.join(' '), context));
};

interface CitedSource extends SourceDocument {
  number: number;
}

async function ask(question: string, context: CommandContext): Promise<void> {
  const client = context.connect();
  const { stdout } = context.terminal;
  const isJson = context.wantsJson();
  const print = (text: string): void => {
    if (!isJson) stdout.write(plainText(shortenCitations(text)));
  };
  const { answer, sources } = await readAnswer(client, question, print);
  if (isJson) {
    printJson(context, { answer, sources });
    return;
  }
  stdout.write('\n');
  if (sources.length > 0) printSources(sources, stdout);
}

/** `[[2]](https://…)` reads badly on a terminal; the list of sources has the links. No citation is split over two parts. */
function shortenCitations(text: string): string {
  return text.replace(/\[\[(\d+)\]\]\((?:[^()\\]|\\.|\([^()]*\))*\)/g, '[$1]');
}

/** Reads the stream to its end; a failure in it comes after what was printed so far. */
async function readAnswer(
  client: ApiClient,
  question: string,
  print: (text: string) => void,
): Promise<{ answer: string; sources: CitedSource[] }> {
  const found = new Map<string, SourceDocument>();
  const cited = new Map<number, string>();
  let answer = '';
  const body = { message: question, stream: true };
  for await (const event of readPackets(client.stream('/chat/send-chat-message', body, IDLE_MS))) {
    switch (event.kind) {
      case 'text':
        answer += event.text;
        print(event.text);
        break;
      case 'documents':
        for (const document of event.documents) found.set(document.document_id, document);
        break;
      case 'citation':
        cited.set(event.number, event.documentId);
        break;
      case 'error':
        if (answer !== '') print('\n');
        throw new CommandFailure(`The answer failed: ${event.message}`);
      case 'stop':
        return { answer, sources: listSources(cited, found) };
    }
  }
  if (answer !== '') print('\n');
  throw new CommandFailure('The answer broke off before its end; ask again.');
}

function listSources(
  cited: Map<number, string>,
  found: Map<string, SourceDocument>,
): CitedSource[] {
  return [...cited]
    .toSorted(([a], [b]) => a - b)
    .map(([number, documentId]) => ({
      number,
      document_id: documentId,
      semantic_identifier: documentId,
      link: null,
      ...found.get(documentId),
    }));
}

function printSources(sources: CitedSource[], stdout: OutputStream): void {
  stdout.write(`\n${bold('Sources', stdout)}\n`);
  for (const { number, semantic_identifier, link, document_id } of sources) {
    stdout.write(
      `[${number}] ${plainLine(semantic_identifier)}  ${plainLine(link ?? document_id)}\n`,
    );
  }
}
