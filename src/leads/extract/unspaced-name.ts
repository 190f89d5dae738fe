/** The most frequent surnames of China and Korea, and common ones of Japan; each entry begins a full name. */
const CHINESE =
  '王李张張刘劉陈陳杨楊赵趙黄黃周吴吳徐孙孫胡朱高林何郭马馬罗羅梁宋郑鄭谢謝韩韓唐冯馮于董萧程曹袁邓鄧许許傅沈曾彭吕呂苏蘇卢盧蒋蔣蔡贾賈丁魏薛叶葉阎余潘杜戴夏钟鍾汪田任姜范方石姚谭譚廖邹熊金陆陸郝孔白崔康毛邱秦江史顾顧侯邵孟龙龍万段雷钱錢汤湯尹黎易常武乔贺赖龚文';
const KOREAN =
  '김이박최정강조윤장임한오서신권황안송류전홍고문양손배백허유남심노하곽성차주우구민진지엄채원천방공현함변염여추도소석선설마길연위표명기반라왕금옥육인맹제모탁국';
const JAPANESE = (
  '佐藤 鈴木 高橋 田中 伊藤 渡辺 渡邊 山本 中村 小林 加藤 吉田 山田 佐々木 山口 松本 井上 木村 斎藤 斉藤 清水 山崎 池田 橋本 阿部 ' +
  '石川 山下 中島 石井 小川 前田 岡田 長谷川 藤田 後藤 近藤 村上 遠藤 青木 坂本 福田 太田 西村 藤井 金子 岡本 藤原 三浦 中野 原田 ' +
  '中川 松田 竹内 小野 中山 和田 石田 森田 上田 原 柴田 酒井 工藤 横山 宮崎 宮本 内田 高木 谷口 安藤 大野 丸山 今井 高田 河野 藤本 ' +
  '村田 武田 上野 杉山 増田 平野 菅原 小山 大塚 千葉 久保 松井 野口 岩崎 桜井 木下 野村 松尾 菊地 佐野 大西 杉本 新井 浜田 菅野 ' +
  '水野 小松 島田 山中 高野 山内 西田 川口 永井 森 林 南 関 星 堀 渡部 本田 川崎 大川 黒田 吉川 川上 中田 石原 松岡 松下 古川 小島'
).split(' ');
const COMPOUND = [
  '欧阳',
  '歐陽',
  '司马',
  '司馬',
  '上官',
  '诸葛',
  '남궁',
  '황보',
  '제갈',
  '선우',
  '독고',
  '사공',
];
/** Words in such characters that begin like a name but are not one. */
const NO_NAME =
  /(?:我们|我們|公司|中心|联系|聯絡|服务|服務|产品|產品|新闻|新聞|方案|经理|經理|总监|董事|電話|电话|地址|首页|有限|技术|会社|情報|案内|採用|一覧|製品|事業|本社|東京|大阪|部$|社$|店$|県|市$|区$|町|様|회사|문의|안내|소개|정보|채용|고객|서비스|제품|이용|약관|주소|전화|이메일|오시는|공지|사항|센터|지사|본사|사업|연구|기술|지원|대표|이사|부장|과장|팀장|사장|전무|상무|방침|서울|부산|인천|대구|광주)/u;

/** A person's name in Chinese, Japanese or Korean characters, or null. */
export function readUnspacedName(text: string): string | null {
  const name = text.replace(/[\s\u3000]+/g, ' ').trim();
  if (name.length > 12 || NO_NAME.test(name)) return null;
  if (/^[가-힣]{2,4}$/.test(name)) return isKorean(name) ? name : null;
  if (/^[가-힣]{1,2} [가-힣]{1,3}$/.test(name))
    return isKorean(name.replace(' ', '')) ? name : null;
  if (/^[\u4e00-\u9fff々ケ]{1,4} [\u4e00-\u9fff々\u3040-\u30ff]{1,5}$/u.test(name)) return name;
  if (/^[\u30a0-\u30ff]{2,8}[・ ][\u30a0-\u30ff]{2,10}$/u.test(name)) return name;
  if (!/^[\u4e00-\u9fff々]{2,5}[\u3040-\u309f]{0,4}$/u.test(name)) return null;
  const isChinese = /^[\u4e00-\u9fff]{2,3}$/u.test(name) && CHINESE.includes(name.charAt(0));
  const isCompound = COMPOUND.some((surname) => name.startsWith(surname) && name.length <= 4);
  const isJapanese = JAPANESE.some(
    (surname) => name.startsWith(surname) && name.length > surname.length && name.length >= 3,
  );
  return isChinese || isCompound || isJapanese ? name : null;
}

function isKorean(name: string): boolean {
  if (COMPOUND.some((surname) => name.startsWith(surname))) return true;
  return name.length <= 3 && name.length >= 2 && KOREAN.includes(name.charAt(0));
}
