import type { JsonObject } from './json-object.ts';

export const METHODS = ['get', 'post', 'put', 'patch', 'delete'] as const;
export type OperationMethod = Uppercase<(typeof METHODS)[number]>;

/** One operation of an OpenAPI document, ready to be called. */
export interface Operation {
  /** For the model: safe, and unique in the document. */
  name: string;
  summary: string;
  /** For the model. */
  description: string;
  method: OperationMethod;
  /** Template: `/orders/{id}`. */
  path: string;
  /** Absolute, without a slash at its end. */
  baseUrl: string;
  parameters: readonly OperationParameter[];
  body: OperationBody | null;
  /** JSON Schema of the arguments: an object. */
  schema: JsonObject;
  /** As the document has it. */
  spec: JsonObject;
}

export interface OperationParameter {
  name: string;
  in: 'path' | 'query';
  /** What the model calls it; another name only where two parameters share theirs. */
  argument: string;
  style: string;
  explode: boolean;
  /** Its value is written as JSON (`content` in the place of `schema`). */
  isJson: boolean;
}

export interface OperationBody {
  mediaType: string;
  format: 'json' | 'form' | 'text';
  /** The name of the argument that is sent as the body. */
  argument: string;
}
