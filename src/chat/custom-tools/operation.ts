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
  /** Absolute, without a trailing slash. */
  baseUrl: string;
  parameters: readonly OperationParameter[];
  body: OperationBody | null;
  /** JSON Schema of the arguments: an object. */
  schema: JsonObject;
  /** As in the document. */
  spec: JsonObject;
}

export interface OperationParameter {
  name: string;
  in: 'path' | 'query';
  /** The name for the model; differs only where two parameters have the same name. */
  argument: string;
  style: string;
  explode: boolean;
  /** Its value is serialized as JSON (`content` instead of `schema`). */
  isJson: boolean;
}

export interface OperationBody {
  mediaType: string;
  format: 'json' | 'form' | 'text';
  /** The name of the argument that is sent as the body. */
  argument: string;
}
