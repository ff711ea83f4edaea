#include "api/report/words.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

const char *const report_languages[REPORT_LANGUAGES] = { "en", "zh" };

/* Sentences that may be put together come before shorter ones that begin as they do. */
static const char *const rows[][REPORT_LANGUAGES] = {
  /* of several reports */
  { "Summary", "概要" },
  { "Label: %s", "标签：%s" },
  { "Notes: %.900s", "备注：%.900s" },
  { "armdyn %s; computed %s.", "armdyn %s；计算于 %s。" },
  { "To find it again", "重现结果" },
  { "joint", "关节" },
  { "law", "控制律" },
  { "time, s", "时间 [s]" },
  { "Nothing to show.", "没有可显示的内容。" },

  /* verifications */
  { "Verification %s", "验证 %s" },
  { "plant", "手臂" },
  { "plant %zu", "手臂 %zu" },
  { "reference", "参考运动" },
  { "%s without model", "%s（无模型）" },
  { "hold", "保持" },
  { "step", "阶跃" },
  { "sine", "正弦扫频" },
  { "circle", "末端圆" },
  { "trajectory", "已存运动" },
  { "%.4g mm and %.4g mrad", "%.4g mm 与 %.4g mrad" },
  { "; on a straight line it ends at %.3g kg", "；按直线估计界限为 %.3g kg" },
  { "%s, %s: \u00b1%s holds with every load up to %.4g kg.",
    "%1$s，%2$s：所有不超过 %4$.4g kg 的负载都满足 \u00b1%3$s。" },
  { "%s, %s: \u00b1%s does not hold, not even with the lightest load of %.4g kg.",
    "%1$s，%2$s：即使最轻的负载 %4$.4g kg 也不满足 \u00b1%3$s。" },
  { "%s, %s: \u00b1%s holds to %.4g kg and not with %.4g kg%s.",
    "%s，%s：\u00b1%s 满足至 %.4g kg，%.4g kg 时不再满足%s。" },
  { "Robot %s, revision %.0f: %.0f cases, at most %.4g mm off at the tool where it counts.",
    "机器人 %s，版本 %.0f：共 %.0f 种情况，计入部分的末端误差最大为 %.4g mm。" },
  { "%.0f of them are not within the limit of %s.", "其中 %.0f 种超出限制 %s。" },
  { "%.0f loops diverge.", "%.0f 个闭环发散。" },
  { "Budget of accuracy", "精度预算" },
  { "There is none: %s.", "没有精度预算：%s。" },
  { "%s on %s, %.4g s: with the model itself the tool is off by at most %.4g mm. What is not known of the %.0f "
    "parameters of identification %s moves it by %.4g mm (one deviation, to first order), together at most %.4g mm "
    "with "
    "two of them, at %.4g s.",
    "%s，%s，%.4g s：按模型本身末端误差最大为 %.4g mm。%.0f 个参数（辨识 %s）的不确定度使其偏移 %.4g mm（一个标准差，"
    "一阶近似），取两个标准差时合计最大为 %.4g mm，出现在 %.4g s。" },
  { "the model itself", "模型本身" },
  { "one deviation of its parameters", "参数一个标准差" },
  { "with two of them", "取两个标准差" },
  { "limit", "限制" },
  { "distance", "距离" },
  { "distance, mm", "距离 [mm]" },
  { "What the tool may be off", "末端可能的误差" },
  { "Measured (data set %s, %.0f samples from %.4g to %.4g s): the tool is off by at most %.4g mm, at %.4g s; rms "
    "%.4g mm.",
    "实测（数据集 %s，%.0f 个样本，%.4g 至 %.4g s）：末端误差最大为 %.4g mm（%.4g s），均方根 %.4g mm。" },
  { "The simulated case nearest to it is %s under %s: the two tools are %.4g mm apart (rms).",
    "最接近的仿真情况是 %s，%s：两者末端相距 %.4g mm（均方根）。" },
  { "How far the tool is off", "末端误差" },
  { "Off at the tool, %.80s", "末端误差，%.80s" },
  { "Spread over the plants", "在各手臂上的离散" },
  { "least", "最小" },
  { "mean", "平均" },
  { "most", "最大" },
  { "judged, mm", "计入部分 [mm]" },
  { "largest, mm", "最大 [mm]" },
  { "rms, mm", "均方根 [mm]" },
  { "largest, mrad", "最大 [mrad]" },
  { "at its torque limit, %", "达到力矩限制 [%]" },
  { "settled after, s", "稳定时间 [s]" },
  { "apart from measured, rms, mm", "与实测相距，均方根 [mm]" },
  { "within", "满足" },
  { "beyond", "超出" },
  { "measured", "实测" },
  { "overshoot, %", "超调 [%]" },
  { "rise, s", "上升时间 [s]" },
  { "peak at, s", "峰值时间 [s]" },
  { "steady error, rad or m", "稳态误差 [rad 或 m]" },
  { "torque, N m or N", "力矩 [N m 或 N]" },
  { "static error, rad or m", "静态误差 [rad 或 m]" },
  { "ripple", "波动" },
  { "largest", "最大" },
  { "breaks away up, N m or N", "正向启动力矩 [N m 或 N]" },
  { "down", "反向" },
  { "torque ripple, N m or N", "力矩波动 [N m 或 N]" },
  { "torque rms", "力矩均方根" },
  { "torque rms, N m or N", "力矩均方根 [N m 或 N]" },
  { "torque", "力矩" },
  { "bandwidth, Hz", "带宽 [Hz]" },
  { "rms, rad or m", "均方根 [rad 或 m]" },
  { "Gain", "幅值" },
  { "gain", "幅值" },
  { "Phase", "相位" },
  { "phase, degrees", "相位 [°]" },
  { "frequency, Hz", "频率 [Hz]" },
  { "Curves are of %s.", "曲线对应：%s。" },
  { "beyond the limit", "超出限制" },
  { "With and without the model", "有模型与无模型" },
  { "with model, mm", "有模型 [mm]" },
  { "without, mm", "无模型 [mm]" },
  { "ratio", "倍数" },
  { "measured, mm", "实测 [mm]" },
  { "worst plant", "最差的手臂" },
  { "least, mm", "最小 [mm]" },
  { "mean, mm", "平均 [mm]" },
  { "most, mm", "最大 [mm]" },
  { "diverged", "发散" },
  { "With A the address of the service (and your key, where it asks for one) each of these computes one case anew, a "
    "law "
    "without its model beside it, with the same figures; what is told of several cases follows from theirs.",
    "A 为服务地址（需要时加上密钥）。每条命令重新计算一种情况（无模型的控制律与其同算），数值相同；"
    "关于多种情况的数值由它们得出。" },
  { "joint %s is %.3g %s off at %.4g s", "关节 %1$s 在 %4$.4g s 时偏离 %2$.3g %3$s" },
  { "the steps allowed were spent at t = %g s", "在 t = %g s 时允许的步数已用完" },
  { "the mass matrix is singular at t = %g s", "在 t = %g s 时质量矩阵奇异" },
  { "there is no hold, circle or trajectory among the references", "参考运动中没有保持、末端圆或已存运动" },
  { "identification %s is not one of the arm's base parameters", "辨识 %s 的参数不是该手臂的基参数" },
  { "the model has no parameter %s, which identification %s found", "模型没有辨识 %2$s 得到的参数 %1$s" },
  { "the revision was not promoted from an identification, so nobody knows how sure its parameters are",
    "该版本不是由辨识结果采用而来，其参数的不确定度未知" },
  { "the motion cannot be followed beyond t = %g s: the step became too short", "t = %g s 之后无法继续积分：步长过小" },
  { "identification %s is not there any more", "辨识 %s 已不存在" },
  { "the loop diverges", "闭环发散" },

  /* zonings */
  { "Zoning %s", "分区 %s" },
  { "Robot %s, revision %.0f: linear models at rest, and gains of %s for %.4g Hz.",
    "机器人 %s，版本 %.0f：静止时的线性模型，以及 %s 在 %.4g Hz 带宽下的增益。" },
  { "Robot %s, revision %.0f: constant gains of %s for %.4g Hz, inertia within %.4g %%.",
    "机器人 %s，版本 %.0f：%s 在 %.4g Hz 带宽下的常值增益，惯量变化不超过 %.4g %%。" },
  { "%.0f of %.0f zones, %.3g %% of the box, do not keep the bound: allow more zones, or a wider bound.",
    "%2$.0f 个区中有 %1$.0f 个（占范围的 %3$.3g %%）不满足界限：请允许更多分区或放宽界限。" },
  { "The bound is kept in every zone (%.0f): at all points, not at samples alone.",
    "全部 %.0f 个区都满足界限：在每一点，而不只是在采样点。" },
  { "from", "起点" },
  { "to", "终点" },
  { "unit", "单位" },
  { "torque off at most", "力矩误差上限" },
  { "accelerations up to", "加速度上限" },
  { "beyond the bound", "超出界限" },
  { "proved for every point", "每一点均已证明" },
  { "found by looking", "采样所得" },
  { "How near the zones come to the bound", "各区与界限的接近程度" },
  { "zone, the worst first", "分区（最差在前）" },
  { "part of the bound, %", "占界限的百分比 [%]" },
  { "Map of the zones, cut through the middle of the worst", "分区图（截面过最差区的中心）" },
  { "keeps the bound, the darker the nearer", "满足界限，颜色越深越接近" },
  { "does not keep it", "不满足界限" },
  { "Zones", "分区" },
  { "zone", "分区" },
  { "proved, % of the bound", "已证明 [占界限 %]" },
  { "found, %", "采样所得 [%]" },
  { "least damping", "最小阻尼" },
  { "kp, N m/rad or N/m", "kp [N m/rad 或 N/m]" },
  { "Using the gains", "使用这些增益" },
  { "Simulations, verifications and tunings take the gains of the zone that the arm is in by:",
    "仿真、验证与整定按如下方式采用手臂所在分区的增益：" },
  { "With A the address of the service (and your key, where it asks for one) this divides the box anew, into the same "
    "zones.",
    "A 为服务地址（需要时加上密钥）。此命令重新划分，得到相同的分区。" },
};
enum { ROWS = sizeof rows / sizeof *rows };

bool report_language_of(const char *code, enum report_language *out)
{
  for (int k = 0; k < REPORT_LANGUAGES; k++)
    if (!code || !strcmp(code, report_languages[k])) return *out = (enum report_language)k, true;
  return false;
}

const char *report_words_row(size_t row, enum report_language language)
{
  return row < ROWS ? rows[row][language] : NULL;
}

const char *report_words(enum report_language language, const char *english)
{
  for (size_t k = 0; k < ROWS && language != REPORT_ENGLISH; k++)
    if (!strcmp(rows[k][REPORT_ENGLISH], english)) return rows[k][language];
  return english;
}

const char *const *report_words_all(enum report_language language, const char *const *english, size_t count,
                                    const char **out)
{
  for (size_t k = 0; k < count; k++) out[k] = report_words(language, english[k]);
  return out;
}

/* -- sentences that are put together already -- */

enum { SPANS = 8 };
struct span {
  const char *at;
  size_t length;
};

/* Behind a conversion; what it is of stands before. */
static const char *behind(const char *conversion)
{
  const char *at = conversion + 1 + strcspn(conversion + 1, "diouxXeEfFgGaAcspn%");
  return *at ? at + 1 : at;
}

static bool is_figure(const char *text, size_t length)
{
  return length && strspn(text, "0123456789+-.einfa") >= length;
}

/* The shortest texts that the conversions of a format stand for, if it can have made this text. */
static bool take_apart(const char *format, const char *text, struct span spans[SPANS])
{
  size_t count = 0;
  while (*format) {
    if (*format != '%') {
      if (*format++ != *text++) return false;
      continue;
    }
    const char *literal = behind(format);
    const size_t length = strcspn(literal, "%");
    const bool figure = literal[-1] != 's';
    const char *end = text;
    while (*end && (!length || strncmp(end, literal, length) != 0)) end++;
    if (count == SPANS || (length && !*end)) return false;
    spans[count++] = (struct span){ text, (size_t)(end - text) };
    if (figure && !is_figure(text, (size_t)(end - text))) return false;
    text = end, format = literal;
  }
  return !*text;
}

/* The other language's format, with these texts for its conversions. */
static void put_together(const char *format, const struct span spans[SPANS], char *out, size_t size)
{
  size_t length = 0, next = 0;
  while (*format && length + 1 < size) {
    if (*format != '%') {
      out[length++] = *format++;
      continue;
    }
    const bool numbered = isdigit((unsigned char)format[1]) && format[2] == '$';
    const struct span *span = &spans[numbered ? (size_t)(format[1] - '1') : next];
    const size_t taken = span->length < size - 1 - length ? span->length : size - 1 - length;
    memcpy(out + length, span->at, taken);
    length += taken, next++, format = behind(format);
  }
  out[length] = '\0';
}

bool report_sentence_of(enum report_language language, const char *format, const char *text, char *out, size_t size)
{
  struct span spans[SPANS] = { 0 };
  if (!take_apart(format, text, spans)) return false;
  put_together(report_words(language, format), spans, out, size);
  return true;
}

const char *report_sentence(enum report_language language, const char *english, char *out, size_t size)
{
  snprintf(out, size, "%s", english);
  for (size_t k = 0; k < ROWS && language != REPORT_ENGLISH; k++)
    if (report_sentence_of(language, rows[k][REPORT_ENGLISH], english, out, size)) break;
  return out;
}
