export const IMAGE_SHAPES = ['square', 'portrait', 'landscape'] as const;
export type ImageShape = (typeof IMAGE_SHAPES)[number];

type Sizes = Readonly<Record<ImageShape, string>>;

const USUAL_SIZES: Sizes = {
  square: '1024x1024',
  portrait: '1024x1536',
  landscape: '1536x1024',
};
/** Models that accept unusual sizes, by the prefix of their name. */
const SIZES_BY_MODEL: readonly [name: string, sizes: Sizes][] = [
  ['dall-e-3', { square: '1024x1024', portrait: '1024x1792', landscape: '1792x1024' }],
  ['dall-e-2', { square: '1024x1024', portrait: '1024x1024', landscape: '1024x1024' }],
];

export function imageSizeOf(model: string, shape: ImageShape): string {
  const known = SIZES_BY_MODEL.find(([name]) => model.startsWith(name));
  return (known?.[1] ?? USUAL_SIZES)[shape];
}
